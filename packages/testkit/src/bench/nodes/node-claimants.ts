import type { RemoteControls } from '../../ec2/control/emulator-client.ts';
import type { CiliumNodeObject } from '../../cluster/builders.ts';
import type { KubeObject } from '../../cluster/kube-object.ts';
import type { Claimants } from '../claimants.ts';
import { judgeStatuses } from './judge.ts';
import type { BenchNode } from './world.ts';

const CILIUM_NODES = '/apis/cilium.io/v2/ciliumnodes';

/** Nodes that ask for addresses of the pool, seen by the statuses of their CiliumNodes. */
export function nodeClaimants(controls: RemoteControls, nodes: readonly BenchNode[]): Claimants {
  return {
    noun: 'nodes',
    names: nodes.map(({ name }) => name),
    watched: {
      path: CILIUM_NODES,
      addressOf: ({ status }: KubeObject & Pick<CiliumNodeObject, 'status'>) => status?.ipam?.['assigned-static-ip'],
    },
    judge: async (seen) => judgeStatuses(nodes, seen, await controls.snapshot()),
  };
}
