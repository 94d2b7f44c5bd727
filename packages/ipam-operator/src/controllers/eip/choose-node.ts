import { isManaged, TAINT } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import { parseProviderId } from '../../core/provider-id.ts';
import { byAge, graceEndsAt, hasLabels, nobody } from './choice.ts';
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
  const matching = world.nodes.filter((node) => selectsNode(labels, node)).toSorted(byAge);
  const holder = matching.find(({ metadata }) => metadata.name === world.holder);
  const graceEnd = holder && graceEndsAt(holder.ready, world.unreadyGraceMs);
  if (holder !== undefined && !isLeaving(holder) && (graceEnd === undefined || world.now < graceEnd)) {
    return targetOf(holder, graceEnd);
  }
  const next = matching.find((node) => node !== holder && canTakeOver(node) && !world.occupied.has(node.metadata.name));
  if (next !== undefined) return targetOf(next);
  // Nobody better: an address on an unready node is better than on none.
  if (holder !== undefined && holder.metadata.deletionTimestamp === undefined) return targetOf(holder);
  if (matching.length === 0) return nobody('TargetMissing', 'No managed node has the labels');
  return nobody(
    'TargetMissing',
    `Of ${matching.length} nodes with the labels none is ready and without another address`,
  );
}

/** True when an Eip with these labels looks at the node. */
export function selectsNode(labels: Readonly<Record<string, string>>, { metadata }: Node): boolean {
  return isManaged(metadata.labels) && hasLabels(metadata.labels, labels);
}

function canTakeOver(node: Node): boolean {
  return !isLeaving(node) && node.ready?.status === 'True' && node.unschedulable !== true;
}

function isLeaving({ metadata, taints = [] }: Node): boolean {
  return metadata.deletionTimestamp !== undefined || taints.some(({ key }) => key === TAINT.shutdown);
}

function targetOf(node: Node, reviewAt?: number): Choice {
  const identity = parseProviderId(node.providerId);
  const { name } = node.metadata;
  switch (identity.kind) {
    case 'instance':
      return { resourceId: name, target: { kind: 'instance', instanceId: identity.instanceId }, reviewAt };
    case 'invalid':
      return nobody('ProviderIdInvalid', identity.problem);
    case 'unknown':
      return nobody('InstanceUnknown', `The provider id of Node ${name} is not set yet`);
  }
}
