import { isManaged, TAINT } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import { parseProviderId } from '../../core/provider-id.ts';
import { byAge, hasLabels, nobody } from './choice.ts';
import type { Choice } from './choice.ts';

/** What the choice of a node rests on. */
export interface NodeWorld {
  readonly nodes: readonly Node[];
  /** The node that has the address now, by the Eip's status: it keeps it as long as it can. */
  readonly holder?: string | undefined;
  /** Nodes that have the address of another Eip: a node has room for one. */
  readonly occupied: ReadonlySet<string>;
  /** Wall time, ms. */
  readonly now: number;
  /** How long the holder may be unready before another node takes over, ms. */
  readonly unreadyGraceMs: number;
}

/** Chooses the node for an Eip: the holder while it can serve, else the oldest that can. No fail-back. Pure. */
export function chooseNode(labels: Readonly<Record<string, string>>, world: NodeWorld): Choice {
  const matching = world.nodes
    .filter(({ metadata }) => isManaged(metadata.labels) && hasLabels(metadata.labels, labels))
    .toSorted(byAge);
  const holder = matching.find(({ metadata }) => metadata.name === world.holder);
  if (holder !== undefined && mayKeep(holder, world)) return targetOf(holder);
  const free = matching.filter(
    (node) => node !== holder && canTakeOver(node) && !world.occupied.has(node.metadata.name),
  );
  const [next] = free;
  if (next !== undefined) return targetOf(next);
  // Nobody better: an address on an unready node is better than on none.
  if (holder !== undefined && holder.metadata.deletionTimestamp === undefined) return targetOf(holder);
  if (matching.length === 0) return nobody('TargetMissing', 'No managed node has the labels');
  return nobody(
    'TargetMissing',
    `Of ${matching.length} nodes with the labels none is ready and without another address`,
  );
}

/** When the holder will have been unready for too long, wall time in ms; undefined while it is ready. */
export function graceEndsAt(holder: Node | undefined, unreadyGraceMs: number): number | undefined {
  if (holder?.ready === undefined || holder.ready.status === 'True') return undefined;
  return Date.parse(holder.ready.lastTransitionTime ?? '') + unreadyGraceMs;
}

function mayKeep(node: Node, { now, unreadyGraceMs }: NodeWorld): boolean {
  if (node.metadata.deletionTimestamp !== undefined || isShuttingDown(node)) return false;
  if (node.ready?.status === 'True') return true;
  return now < (graceEndsAt(node, unreadyGraceMs) ?? -Infinity);
}

function canTakeOver(node: Node): boolean {
  if (node.metadata.deletionTimestamp !== undefined || isShuttingDown(node)) return false;
  return node.ready?.status === 'True' && node.unschedulable !== true;
}

function isShuttingDown({ taints = [] }: Node): boolean {
  return taints.some(({ key }) => key === TAINT.shutdown);
}

function targetOf(node: Node): Choice {
  const identity = parseProviderId(node.providerId);
  const { name } = node.metadata;
  if (identity.kind === 'instance') {
    return { resourceId: name, target: { kind: 'instance', instanceId: identity.instanceId } };
  }
  return identity.kind === 'invalid'
    ? nobody('ProviderIdInvalid', identity.problem)
    : nobody('InstanceUnknown', `The provider id of Node ${name} is not set yet`);
}
