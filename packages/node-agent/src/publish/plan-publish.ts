import { ciliumNodePatch } from '@static-ip/cni-config';
import type { CiliumNodePatch, Tags } from '@static-ip/cni-config';
import type { CiliumNode } from '../api/cilium-node.ts';
import type { Reason } from '../api/reasons.ts';
import type { CiliumConfig } from './cilium-publishes.ts';
import { observe, publishedByUs } from './history.ts';
import type { History } from './history.ts';
import { JUDGES } from './judges.ts';
import type { FileTags } from './read-file-tags.ts';
import { formatTags } from './format-tags.ts';
import { isEmpty, wantedTags } from './wanted-tags.ts';
import type { TagInputs } from './wanted-tags.ts';

/** When tags are written: except where Cilium publishes itself, also there, or never. */
export type PublishMode = 'auto' | 'act' | 'observe';

export interface PublishInput extends Pick<TagInputs, 'lastCertain' | 'flag'> {
  readonly mode: PublishMode;
  readonly graceMs: number;
  readonly file: FileTags;
  /** Undefined: there is none (yet). */
  readonly node: CiliumNode | undefined;
  readonly ciliumConfig: CiliumConfig;
  /** Undefined: the CiliumNode was not seen before. */
  readonly history: History | undefined;
  /** On the monotonic clock. */
  readonly nowMs: number;
}

export type PublishStep =
  | { readonly kind: 'none' }
  /** Nothing now; to be planned anew after this long, unless something happens before. */
  | { readonly kind: 'again'; readonly inMs: number }
  | { readonly kind: 'write'; readonly tags: Tags | undefined; readonly patch: CiliumNodePatch };

export interface PublishPlan {
  readonly step: PublishStep;
  /** The state of things; for a write, the state that follows when it succeeds. */
  readonly reason: Reason;
  /** For people; the same from pass to pass as long as nothing changes. */
  readonly note: string;
  readonly history: History | undefined;
}

/**
 * What to do about the tags on our CiliumNode; pure. Nothing is written that is there already, that is another writer's, or
 * that Cilium's own agent takes care of. The judges are asked in order; where none objects, the tags are written.
 */
export function planPublish(input: PublishInput): PublishPlan {
  const { node, nowMs } = input;
  if (node === undefined) {
    const note = 'there is no CiliumNode of this node yet: Cilium makes it when its agent starts';
    return { step: { kind: 'none' }, reason: 'CiliumNodeMissing', note, history: undefined };
  }
  const history = observe(input.history, node, nowMs);
  const published = publishedByUs(node);
  const wanted = wantedTags({ ...input, published });
  const known = { ...input, node, history, published, wanted };
  for (const judge of JUDGES) {
    const objection = judge(known);
    if (objection === undefined) continue;
    const { reason, note, againInMs, goneSinceMs } = objection;
    const step: PublishStep = againInMs === undefined ? { kind: 'none' } : { kind: 'again', inMs: againInMs };
    return { step, reason, note, history: { ...history, goneSinceMs } };
  }
  return write(node, history, wanted.kind === 'keep' ? node.tags : wanted.tags);
}

function write(node: CiliumNode, history: History, tags: Tags | undefined): PublishPlan {
  const step = { kind: 'write', tags, patch: ciliumNodePatch(tags, node.tags) } as const;
  return isEmpty(tags)
    ? {
        step,
        history,
        reason: 'TagsWithdrawn',
        note: `withdrew ${formatTags(node.tags)}: nothing asks for them any more`,
      }
    : { step, history, reason: 'TagsPublished', note: `published ${formatTags(tags)}` };
}
