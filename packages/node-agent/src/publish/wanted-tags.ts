import { resolveTags } from '@static-ip/cni-config';
import type { Tags } from '@static-ip/cni-config';
import type { FileTags } from './read-file-tags.ts';

export interface TagInputs {
  /** The reading of the directory now. */
  readonly file: FileTags;
  /** What the last certain reading of this process said; undefined: there was none. */
  readonly lastCertain: { readonly tags: Tags | undefined } | undefined;
  readonly flag: Tags | undefined;
  /** What we have published and is still there. */
  readonly published: Tags | undefined;
}

/** What the CiliumNode should have. `keep`: whatever it has, since nobody knows better. */
export type Wanted =
  | { readonly kind: 'keep' }
  | {
      readonly kind: 'tags';
      readonly tags: Tags | undefined;
      readonly source: 'file' | 'flag' | 'none';
      /** True: what was published before goes only after the grace time, as something is merely missing. */
      readonly patient: boolean;
    };

/**
 * The tags that are wanted, from all that was said:
 *
 * | the files | wanted |
 * |---|---|
 * | certain, with tags | the file's, at once |
 * | certain, `{}` or no tags | the flag's, at once; without a flag none, after the grace time |
 * | in doubt, but certain before | as before |
 * | in doubt since the start, published by us already | broken files: as published; no file: the flag's, after the grace time |
 * | in doubt since the start, nothing published | the flag's, at once |
 */
export function wantedTags({ file, lastCertain, flag, published }: TagInputs): Wanted {
  const certain = file.kind === 'certain' ? file : lastCertain;
  if (certain !== undefined) {
    const { tags, source } = resolveTags({ file: certain.tags, flag });
    return { kind: 'tags', tags, source, patient: isEmpty(tags) };
  }
  const isKept = published !== undefined && (file.kind === 'broken' || flag === undefined);
  if (isKept || flag === undefined) return { kind: 'keep' };
  return { kind: 'tags', tags: flag, source: 'flag', patient: published !== undefined };
}

/** For who reads them, no tags and an empty map are the same: no address is wanted. */
export function isEmpty(tags: Tags | undefined): boolean {
  return tags === undefined || Object.keys(tags).length === 0;
}
