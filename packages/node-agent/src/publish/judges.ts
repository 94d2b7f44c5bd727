import { isDeepStrictEqual } from 'node:util';
import type { Tags } from '@static-ip/cni-config';
import type { CiliumNode } from '../api/cilium-node.ts';
import type { Reason } from '../api/reasons.ts';
import { whyCiliumPublishes } from './cilium-publishes.ts';
import type { CiliumConfig } from './cilium-publishes.ts';
import { formatTags } from './format-tags.ts';
import { removalsOf } from './history.ts';
import type { History } from './history.ts';
import { isEmpty } from './wanted-tags.ts';
import type { Wanted } from './wanted-tags.ts';

/** All that a judge looks at. */
export interface Case {
  readonly mode: 'auto' | 'act' | 'observe';
  readonly graceMs: number;
  readonly node: CiliumNode;
  /** The tags on it that we wrote. */
  readonly published: Tags | undefined;
  readonly wanted: Wanted;
  readonly ciliumConfig: CiliumConfig;
  readonly history: History;
  /** On the monotonic clock. */
  readonly nowMs: number;
}

/** Why the tags are not written now. `againInMs`: to be looked at again after this long. */
export interface Objection {
  readonly reason: Reason;
  readonly note: string;
  readonly againInMs?: number | undefined;
  /** When the removal of what is published was first wanted: the grace time runs from here. */
  readonly goneSinceMs?: number | undefined;
}

type Judge = (one: Case) => Objection | undefined;

/** Another writer that took our tags away is given this long before we write them once more. */
const REWRITE_AFTER_MS = 10_000;

/** After so many removals the field is the other's. */
const MAX_REMOVALS = 2;

const nobodyKnows: Judge = ({ wanted, published }) => {
  if (wanted.kind !== 'keep') return undefined;
  return published === undefined
    ? { reason: 'TagsNotRequested', note: 'nothing asks for tags' }
    : { reason: 'TagsKept', note: `the CNI configuration cannot be read for certain: ${formatTags(published)} stays` };
};

const isInForce: Judge = ({ node, wanted }) => {
  const tags = tagsOf(wanted);
  if (!isDeepStrictEqual(node.tags ?? {}, tags)) return undefined;
  if (isEmpty(tags)) return { reason: 'TagsNotRequested', note: 'nothing asks for tags' };
  return node.otherWriters.length > 0
    ? { reason: 'TagsPublishedByOther', note: `${formatTags(tags)}, written by ${node.otherWriters.join(' and ')}` }
    : { reason: 'TagsPublished', note: `published ${formatTags(tags)}` };
};

const belongsToOther: Judge = ({ node, wanted }) => {
  if (node.otherWriters.length === 0) return undefined;
  const tags = tagsOf(wanted);
  if (isEmpty(tags)) return { reason: 'TagsNotRequested', note: 'nothing asks for tags; those published are not ours' };
  const writers = node.otherWriters.join(' and ');
  const note =
    `${wish(wanted)}, but ${writers} wrote ${formatTags(node.tags)}: left alone; ` +
    'make both the same, or remove the field once to hand it over';
  return { reason: 'TagsDiffer', note };
};

const mayOnlyLook: Judge = ({ mode, wanted }) =>
  mode === 'observe' ? { reason: 'ObservedOnly', note: `${wish(wanted)}; told to observe only` } : undefined;

const hasGrace: Judge = ({ wanted, history, graceMs, nowMs }) => {
  if (wanted.kind !== 'tags' || !wanted.patient) return undefined;
  const goneSinceMs = history.goneSinceMs ?? nowMs;
  const againInMs = goneSinceMs + graceMs - nowMs;
  if (againInMs <= 0) return undefined;
  return {
    reason: 'TagsRemovalPending',
    note: `${wish(wanted)}: what is published stays for now`,
    againInMs,
    goneSinceMs,
  };
};

const isDropped: Judge = ({ history: { droppedUntilMs }, nowMs }) => {
  if (droppedUntilMs === undefined || droppedUntilMs <= nowMs) return undefined;
  const note =
    'the CiliumNode CRD of this cluster has no static-ip-tags and drops them: Cilium 1.17 or newer brings it';
  return { reason: 'TagsNotServed', note, againInMs: droppedUntilMs - nowMs };
};

const isContested: Judge = ({ history, wanted, nowMs }) => {
  const removals = removalsOf(history, tagsOf(wanted));
  if (removals === 0) return undefined;
  if (removals >= MAX_REMOVALS) {
    const note =
      `another writer took ${formatTags(tagsOf(wanted))} away twice: not written again; give Cilium's agent the same tags ` +
      '(read-cni-conf or ipam-static-ip-tags), as it publishes itself, or change the wanted tags to try again';
    return { reason: 'TagsContested', note };
  }
  const againInMs = (history.removedAtMs ?? nowMs) + REWRITE_AFTER_MS - nowMs;
  if (againInMs <= 0) return undefined;
  return { reason: 'TagsRemovedByOther', note: 'another writer took the tags away: written once more', againInMs };
};

const isCiliums: Judge = ({ mode, published, ciliumConfig, node, wanted }) => {
  // What we have begun to publish we go on with.
  if (mode === 'act' || published !== undefined) return undefined;
  const why = whyCiliumPublishes(ciliumConfig, node);
  return why === undefined ? undefined : { reason: 'LeftToCilium', note: `${wish(wanted)}; left to Cilium: ${why}` };
};

/** In the order in which they are asked: the first objection counts. */
export const JUDGES: readonly Judge[] = [
  nobodyKnows,
  isInForce,
  belongsToOther,
  mayOnlyLook,
  hasGrace,
  isDropped,
  isContested,
  isCiliums,
];

function tagsOf(wanted: Wanted): Tags {
  return wanted.kind === 'tags' ? (wanted.tags ?? {}) : {};
}

function wish(wanted: Wanted): string {
  const tags = tagsOf(wanted);
  if (wanted.kind !== 'tags' || isEmpty(tags)) return 'nothing asks for tags';
  return `the ${wanted.source === 'flag' ? 'flag' : 'CNI configuration'} asks for ${formatTags(tags)}`;
}
