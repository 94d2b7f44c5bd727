import { objectKey } from '@static-ip/kube';
import type { KubeClient, KubeObject, ReadonlyStore, Resource } from '@static-ip/kube';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { FINALIZER, LEGACY_POD_FINALIZERS } from '../../api/names.ts';
import { NODES } from '../../api/node.ts';
import type { Node } from '../../api/node.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import type { EipWriter } from '../eip/eip-writer.ts';
import { listAll } from '../list-all.ts';
import type { DrainedObject } from './drained-object.ts';

/** All objects that may have something of ours. */
export interface DrainWorld {
  readonly eips: ReadonlyStore<Eip>;
  readonly pods: ReadonlyStore<Pod>;
  readonly nodes: ReadonlyStore<Node>;
}

/** One write that takes something of ours off an object. */
export interface StripTask extends Pick<DrainedObject, 'kind' | 'name'> {
  run(writer: StripWriter, signal: AbortSignal): Promise<unknown>;
}

type StripWriter = Pick<EipWriter, 'removeFinalizer'>;

/** Reads the world; without the definition of Eip there are none. @throws KubeError */
export async function readDrainWorld(
  kube: Pick<KubeClient, 'list' | 'isServed'>,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<DrainWorld> {
  const isServed = await kube.isServed(EIPS, signal);
  const [eips, pods, nodes] = await Promise.all([
    isServed ? listAll(kube, { resource: EIPS, namespace }, signal) : NO_EIPS,
    listAll(kube, { resource: PODS, namespace }, signal),
    listAll(kube, { resource: NODES }, signal),
  ]);
  return { eips, pods, nodes };
}

const NO_EIPS: ReadonlyStore<Eip> = { get: () => undefined, list: () => [], keys: () => [], size: 0 };

/**
 * The writes that are left to do, one for each object: what has more of ours gets the next one when it is read again. `spared`
 * are names of Eips that must keep what they have; so must the pods that have their addresses. Pure.
 */
export function stripTasks(world: DrainWorld, spared: ReadonlySet<string>): readonly StripTask[] {
  const { eips, nodes } = world;
  return [
    ...eips.list().flatMap((eip) => (isSpared(eip, spared) ? [] : finalizerTask(EIPS, eip, [FINALIZER.eip]))),
    ...strippedPods(world, spared).flatMap((pod) =>
      finalizerTask(PODS, pod, [FINALIZER.pod, ...LEGACY_POD_FINALIZERS]),
    ),
    ...nodes.list().flatMap((node) => finalizerTask(NODES, node, [FINALIZER.node])),
  ];
}

/** All pods but those that have the address of a spared Eip. */
export function strippedPods({ eips, pods }: DrainWorld, spared: ReadonlySet<string>): readonly Pod[] {
  const sparedPods = new Set(
    eips.list().flatMap((eip) => {
      const { metadata, status } = eip;
      return isSpared(eip, spared) ? `${metadata.namespace ?? ''}/${status.resourceId ?? ''}` : [];
    }),
  );
  return pods.list().filter(({ metadata }) => !sparedPods.has(objectKey(metadata)));
}

function isSpared({ metadata }: Eip, spared: ReadonlySet<string>): boolean {
  return spared.has(objectKey(metadata));
}

function finalizerTask<T extends KubeObject>(
  resource: Resource<T>,
  object: T,
  ours: readonly string[],
): readonly StripTask[] {
  const finalizer = ours.find((one) => object.metadata.finalizers.includes(one));
  if (finalizer === undefined) return [];
  const run: StripTask['run'] = (writer, signal) => writer.removeFinalizer({ resource, object, finalizer }, signal);
  return [{ kind: kindOf(resource), name: objectKey(object.metadata), run }];
}

function kindOf({ kind }: Resource): StripTask['kind'] {
  return kind === 'Eip' || kind === 'Pod' ? kind : 'Node';
}
