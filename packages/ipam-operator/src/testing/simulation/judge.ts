import type { Clock } from '@static-ip/provider';
import type { CiliumNode } from '../../api/cilium-node.ts';
import type { SimulatedCloud, Stored } from './cloud.ts';
import type { SimulatedCluster } from './cluster.ts';

interface Judged {
  readonly cloud: SimulatedCloud;
  readonly cluster: SimulatedCluster;
}

/** A status that is written may rest on what was true so long ago, ms: reads lag and take their time. */
const CONFIRMED_WITHIN_MS = 30_000;
/** A patch names no uid: it can still hit an object that was made anew so short a time ago, ms. */
const YOUNG_MS = 1_000;

/** What is wrong about writing this ip into the status; nothing when it is right. */
export function faultOfPatch(
  before: CiliumNode,
  ip: string | undefined,
  { cloud, clock }: { readonly cloud: SimulatedCloud; readonly clock: Clock },
): string | undefined {
  const { metadata, instanceId = '', assignedStaticIp } = before;
  if (clock.now() - Date.parse(metadata.creationTimestamp ?? '') < YOUNG_MS) return undefined;
  const held = cloud.heldSince(instanceId, clock.monotonic() - CONFIRMED_WITHIN_MS);
  if (ip !== undefined) return held.includes(ip) ? undefined : `${metadata.name} names ${ip}, which it never held`;
  const isGood = assignedStaticIp !== undefined && held.every((one) => one === assignedStaticIp);
  return isGood ? `${metadata.name} lost the good ${assignedStaticIp}` : undefined;
}

/** What is not as it should be when everybody has had time enough. */
export function unrest({ cluster, cloud }: Judged): readonly string[] {
  return [...cluster.ciliumNodes.values()].flatMap((node) => {
    const held = cloud.heldBy(node.instanceId ?? '');
    const fault = faultOfNode(node, held, cloud);
    if (fault === undefined) return [];
    const { metadata, staticIpTags, assignedStaticIp } = node;
    const pool = staticIpTags?.['pool'] ?? 'none';
    return [
      `${fault}: ${metadata.name} (pool ${pool}) holds ${held?.ip ?? 'nothing'}, says ${assignedStaticIp ?? 'nothing'}`,
    ];
  });
}

function faultOfNode(node: CiliumNode, held: Stored | undefined, cloud: SimulatedCloud): string | undefined {
  const pool = node.staticIpTags?.['pool'];
  const says = node.assignedStaticIp;
  if (pool === undefined) return says === undefined && !isBy('us', held) ? undefined : 'not given back';
  if (held?.pool === pool) return says === held.ip ? undefined : 'not told';
  return faultOfUnserved({ pool, says, held }, cloud);
}

interface Unserved {
  readonly pool: string;
  readonly says: string | undefined;
  readonly held: Stored | undefined;
}

function faultOfUnserved({ pool, says, held }: Unserved, cloud: SimulatedCloud): string | undefined {
  if (!isBy('them', held) && hasFree(cloud, pool)) return 'not served';
  return says === undefined || says === held?.ip ? undefined : 'wrong';
}

function isBy(whom: 'us' | 'them', held: Stored | undefined): boolean {
  return held?.on?.by === whom;
}

function hasFree(cloud: SimulatedCloud, pool: string): boolean {
  return cloud.addresses().some((address) => address.pool === pool && address.on === undefined);
}

/** How much was done so far. */
export type Counts = Readonly<SimulatedCloud['calls']> & { readonly patches: number };

/** So much may have been done between two counts in a settled world, in three resyncs: changes of nothing, few reads. */
const ALLOWED: Readonly<Partial<Counts>> = { attach: 0, detach: 0, patches: 0, list: 16, resolve: 16 };

/** What was done that should not have been. */
export function restless(before: Counts, after: Counts): readonly string[] {
  return (['attach', 'detach', 'patches', 'list', 'resolve'] as const).flatMap((name) => {
    const grown = after[name] - before[name];
    return grown > (ALLOWED[name] ?? 0) ? [`${name} grew by ${grown} in a settled world`] : [];
  });
}
