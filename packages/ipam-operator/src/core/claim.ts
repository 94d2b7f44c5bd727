import { selectionKey } from '@static-ip/provider';
import type { AllocateRequest, Selection, TargetRef } from '@static-ip/provider';
import type { Reason } from '../api/reasons.ts';

/** Why a claim cannot be served at all, decided before any call to the cloud. */
export interface Refusal {
  readonly reason: Reason;
  readonly message: string;
}

/** What somebody wants from the cloud. */
export type Wanted =
  /** An address out of the selection: any that is free. */
  | { readonly kind: 'select'; readonly selection: Selection }
  | OwnWish
  /** Nothing: what is held goes back after the grace time. */
  | { readonly kind: 'nothing'; readonly graceMs: number }
  /** Something that is refused: what is held stays. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** One address that stays the claim's own: it follows the claim from target to target, and waits for it in between. */
export interface OwnWish {
  readonly kind: 'own';
  /** The addresses among which the claim's own is, or from which it is taken. */
  readonly selection: Selection;
  readonly origin: Origin;
  /** Set when the claim ends: the address is taken off, and released where `release` says so and its marks allow it. */
  readonly ending?: { readonly release: boolean } | undefined;
}

/** Where a claim's own address comes from. */
export type Origin =
  /** Made for this claim, told from all others by its marks. */
  | { readonly kind: 'allocated'; readonly clusterUid: string; readonly request: AllocateRequest }
  /** Any free one of the selection, which somebody else keeps: never released. */
  | { readonly kind: 'adopted' }
  /** This one and no other: never released. */
  | { readonly kind: 'given'; readonly addressId: string };

/** The private address of an interface, as a status names it. */
export interface Place {
  readonly interfaceId: string;
  readonly privateIp: string;
}

/** Who may change the cloud for this claim. */
export type Authority =
  | { readonly kind: 'act' }
  /** Somebody else does: look, compare, say. */
  | { readonly kind: 'observe'; readonly message: string };

/**
 * One wish for one address on one target, whatever kind of object it comes from. Plain data: the planner sees nothing
 * else of Kubernetes.
 */
export interface Claim {
  /** `<source>/<name>`, unique across sources. */
  readonly key: string;
  readonly uid: string;
  /** Wall time of the object's creation, ms. With `key`, the order in which claims are served. */
  readonly createdAt: number;
  readonly wanted: Wanted;
  /** Absent: not known yet; then `unplaced` says why. */
  readonly target?: TargetRef | undefined;
  /** Name of the object that the target belongs to, where it is not the one that makes the claim. */
  readonly targetName?: string | undefined;
  readonly unplaced?: Refusal | undefined;
  /** The target is kept for a grace time only: gather the claim anew then, wall time in ms. */
  readonly reviewAt?: number | undefined;
  /** The address that the object's status names, if any. */
  readonly assignedIp?: string | undefined;
  /** The id of that address, where the status has it. */
  readonly assignedId?: string | undefined;
  /** Where the status says that it is attached. */
  readonly assignedPlace?: Place | undefined;
  /** The attachment that the status names: it was confirmed once. */
  readonly assignedAttachment?: string | undefined;
  /** The object was there before this process: an address may have been made for it that no status and no read shows. */
  readonly isInherited?: boolean | undefined;
  readonly authority: Authority;
}

/** Older claims first; equal ages by key, so that every replica and every run agrees. */
export function compareClaims(a: Pick<Claim, 'createdAt' | 'key'>, b: Pick<Claim, 'createdAt' | 'key'>): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}

/** The addresses among which the claim's is, or from which it is taken; undefined: it asks for none. */
export function selectionOf({ wanted }: Pick<Claim, 'wanted'>): Selection | undefined {
  return wanted.kind === 'select' || wanted.kind === 'own' ? wanted.selection : undefined;
}

/** The selection that several claims may share; undefined where there is none: an address that is given by its id is no pool. */
export function poolOf(claim: Pick<Claim, 'wanted'>): Selection | undefined {
  const selection = selectionOf(claim);
  return selection?.by === 'tags' ? selection : undefined;
}

/** The queue of claims that wait for the same addresses: those of one selection in one location. */
export function queueName(selection: Selection, location: string | undefined): string {
  return `${selectionKey(selection)}@${location ?? ''}`;
}

/** A selection in words: `pool=a, tier=b`. */
export function describeSelection(selection: Selection): string {
  switch (selection.by) {
    case 'tags':
      return Object.entries(selection.tags)
        .toSorted(byFirst)
        .map(([key, value]) => `${key}=${value}`)
        .join(', ');
    case 'ids':
      return selection.ids.join(', ');
    case 'tagValues':
      return `${selection.key} in (${selection.values.join(', ')})`;
  }
}

function byFirst([a]: readonly [string, string], [b]: readonly [string, string]): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
