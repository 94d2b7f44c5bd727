import { ciliumNode, node } from '../../cluster/builders.ts';
import type { CiliumNodeObject, NodeObject } from '../../cluster/builders.ts';
import type { RemoteControls } from '../../ec2/control/emulator-client.ts';
import { concurrently } from '../concurrently.ts';

/** A node that asks for an address of the pool, and the instance behind it. */
export interface BenchNode {
  readonly name: string;
  readonly instanceId: string;
  readonly node: NodeObject;
  readonly ciliumNode: CiliumNodeObject;
}

/** The pool that every node asks for. */
const POOL_TAGS = { 'static-ip-pool': 'bench', team: 'edge' };
/** Addresses of others in the same account: free, but not ours to take. */
const FOREIGN_TAGS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'static-ip-pool': 'other', team: 'edge' },
  { 'static-ip-pool': 'bench' },
  { 'static-ip-pool': 'benchmark', team: 'edge' },
  { 'static-ip-pool': 'Bench', team: 'edge' },
];
const IN_FLIGHT = 16;

/** Adds addresses that do not belong to the pool. */
export async function addForeignAddresses(controls: RemoteControls): Promise<void> {
  for (const tags of FOREIGN_TAGS) await controls.addAddress({ tags, foreign: true });
}

/** Adds an instance and a free address of the pool for each node; the Kubernetes objects are made, not created. */
export async function addNodes(
  controls: RemoteControls,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<readonly BenchNode[]> {
  const names = Array.from({ length: count }, (_, index) => `bench-${String(first + index).padStart(5, '0')}`);
  const nodes: BenchNode[] = [];
  await concurrently(names, IN_FLIGHT, async (name) => {
    await controls.addAddress({ tags: { ...POOL_TAGS, Name: `${name}-egress` } });
    const { id: instanceId, zone, interfaces } = await controls.addInstance({ tags: { Name: name } });
    const internalIp = interfaces[0]?.privateIps[0] ?? '';
    nodes.push({
      name,
      instanceId,
      node: node({ name, instanceId, zone, internalIp }),
      ciliumNode: ciliumNode({ name, instanceId, internalIp, tags: POOL_TAGS }),
    });
  });
  return nodes.toSorted((left, right) => left.name.localeCompare(right.name));
}

/** Whether an address carries the tags of the pool. */
export function isInPool(tags: Readonly<Record<string, string>>): boolean {
  return Object.entries(POOL_TAGS).every(([key, value]) => tags[key] === value);
}
