import { isDeepStrictEqual } from 'node:util';
import type { Tags } from '@static-ip/cni-config';
import type { CiliumNode } from '../api/cilium-node.ts';
import { isEmpty } from './wanted-tags.ts';

/** What this process remembers of one CiliumNode. Times are on the monotonic clock. */
export interface History {
  readonly uid: string;
  /** The last tags of ours that were on it, and the generation of the object in which they were seen. */
  readonly ours?: { readonly tags: Tags; readonly generation: number; readonly isThere: boolean } | undefined;
  /** How often another writer took those tags away. */
  readonly removals: number;
  readonly removedAtMs?: number | undefined;
  /** Since when something published is to go. */
  readonly goneSinceMs?: number | undefined;
  /** The server dropped the tags that we wrote: not tried again before. */
  readonly droppedUntilMs?: number | undefined;
}

/** A dropped write is tried again after this long: the cluster's CRD may have been updated. */
export const DROPPED_RETRY_MS = 10 * 60_000;

/** The tags on a CiliumNode that we wrote, whole and alone; also before this process started. */
export function publishedByUs({ tags, otherWriters }: CiliumNode): Tags | undefined {
  return tags !== undefined && !isEmpty(tags) && otherWriters.length === 0 ? tags : undefined;
}

/** Takes note of what the CiliumNode looks like: another object starts anew, and tags of ours that are gone are counted. */
export function observe(before: History | undefined, node: CiliumNode, nowMs: number): History {
  const { uid, generation = 0 } = node.metadata;
  const known = before?.uid === uid ? before : { uid, removals: 0 };
  const tags = publishedByUs(node);
  if (tags === undefined) return isRemoved(known, node) ? countRemoval(known, nowMs) : known;
  return { ...known, ours: { tags, generation, isThere: true }, removals: removalsOf(known, tags) };
}

/** A later state of the object than that in which ours were there, without any tags. */
function isRemoved({ ours }: History, { tags, metadata: { generation = 0 } }: CiliumNode): boolean {
  return ours?.isThere === true && generation > ours.generation && isEmpty(tags);
}

function countRemoval(before: History, nowMs: number): History {
  const ours = before.ours === undefined ? undefined : { ...before.ours, isThere: false };
  return { ...before, ours, removals: before.removals + 1, removedAtMs: nowMs };
}

/** The memory after a write of `tags`, from the object that the server answered with. */
export function afterWrite(
  before: History,
  { tags, written, nowMs }: { readonly tags: Tags | undefined; readonly written: CiliumNode; readonly nowMs: number },
): History {
  const { uid } = before;
  // What we took away ourselves is nobody's doing.
  if (isEmpty(tags)) return { uid, removals: 0 };
  if (isEmpty(written.tags)) return { uid, removals: 0, droppedUntilMs: nowMs + DROPPED_RETRY_MS };
  return observe({ ...before, goneSinceMs: undefined, droppedUntilMs: undefined }, written, nowMs);
}

/** How often these very tags were taken away: others are another wish, on which nobody has had a say yet. */
export function removalsOf({ ours, removals }: History, tags: Tags | undefined): number {
  return isDeepStrictEqual(ours?.tags, tags) ? removals : 0;
}
