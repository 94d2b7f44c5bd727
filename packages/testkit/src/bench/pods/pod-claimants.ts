import type { KubeObject } from '../../cluster/kube-object.ts';
import type { BenchWorld } from '../bench-world.ts';
import type { Claimants } from '../claimants.ts';
import { ALLOCATION_ID, EXTERNAL_DNS, judgePods } from './judge-pods.ts';
import type { EipObject } from './judge-pods.ts';
import type { BenchPod } from './pod-places.ts';

export const PODS = '/api/v1/namespaces/default/pods';
export const EIPS = '/apis/materialize.cloud/v2/namespaces/default/eips';

/** Pods that ask for an address each, seen by their annotations. With `kept`, for the one that each had before. */
export function podClaimants(
  { cluster, emulator }: BenchWorld,
  pods: readonly BenchPod[],
  kept?: ReadonlyMap<string, string>,
): Claimants {
  return {
    noun: 'pods',
    names: pods.map(({ name }) => name),
    watched: {
      path: PODS,
      addressOf: ({ metadata: { annotations = {} } }) =>
        annotations[ALLOCATION_ID] === undefined ? undefined : annotations[EXTERNAL_DNS],
    },
    judge: async () =>
      judgePods({
        pods,
        podObjects: byName(await cluster.api.list<KubeObject>(PODS)),
        eips: byName(await cluster.api.list<EipObject>(EIPS)),
        addresses: (await emulator.controls.snapshot()).addresses,
        kept,
      }),
  };
}

function byName<T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [object.metadata.name, object]));
}
