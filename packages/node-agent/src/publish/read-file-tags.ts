import { keepLastGoodTags } from '@static-ip/cni-config';
import type { DirectoryResult, Tags } from '@static-ip/cni-config';

/** What the CNI directory says about tags. */
export type FileTags =
  /** Read without doubt; `tags` undefined: no file asks for any. */
  | { readonly kind: 'certain'; readonly tags: Tags | undefined }
  /** Nothing of Cilium's is there (yet). */
  | { readonly kind: 'absent' }
  /** Something is there and cannot be read for certain. */
  | { readonly kind: 'broken' };

/** Stands for "as it was", which `keepLastGoodTags` hands back when the files are in doubt. */
const DOUBT: Tags = Object.freeze({});

/** Judges one reading of the directory. */
export function fileTagsOf(read: DirectoryResult): FileTags {
  const tags = keepLastGoodTags(read, DOUBT);
  if (tags !== DOUBT) return { kind: 'certain', tags };
  const isBroken = read.skipped.length > 0 || read.chosen?.config.tagsKnown === false;
  return { kind: isBroken ? 'broken' : 'absent' };
}
