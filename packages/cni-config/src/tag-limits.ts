import type { Tags } from './network-config.ts';

/** Why EC2 would not take a set of tags, as a closed list. */
export type TagProblemCode = 'too-many-tags' | 'key-empty' | 'key-too-long' | 'key-reserved' | 'value-too-long';

export type TagProblem = {
  readonly code: TagProblemCode;
  /** What is the matter and what to do about it. */
  readonly message: string;
  /** The tag in question; absent when it is about their number. */
  readonly key?: string;
};

/** `select`: find addresses that have the tags. `write`: put the tags on an address. */
export type TagUse = 'select' | 'write';

/**
 * EC2's limits on tags. Lengths are Unicode characters (code points). The user guide allows keys of 128, the API's Tag
 * type 127: both are found, 127 are written. Sources:
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Tag.html
 */
export const EC2_TAG_LIMITS = { maxTags: 50, maxKey: { select: 128, write: 127 }, maxValue: 256 } as const;

/**
 * Every reason why EC2 would not take these tags, in the order of the tags; empty when all is well, and for `{}`. Keys
 * that begin with `aws:` belong to AWS: addresses carry them and may be selected by them, but nobody else may write them.
 */
export function validateTags(tags: Tags, { use }: { readonly use: TagUse }): readonly TagProblem[] {
  const entries = Object.entries(tags);
  const { maxTags } = EC2_TAG_LIMITS;
  const message = `${entries.length} tags, but an EC2 resource has at most ${maxTags}: remove some`;
  const tooMany: readonly TagProblem[] = entries.length > maxTags ? [{ code: 'too-many-tags', message }] : [];
  return [...tooMany, ...entries.flatMap(([key, value]) => [...keyProblems(key, use), ...valueProblems(key, value)])];
}

function keyProblems(key: string, use: TagUse): readonly TagProblem[] {
  const longest = EC2_TAG_LIMITS.maxKey[use];
  const length = codePoints(key);
  if (length === 0) return [{ code: 'key-empty', key, message: 'a tag key is empty: give it a name' }];
  if (length > longest) {
    return [
      { code: 'key-too-long', key, message: `a tag key has ${length} characters, EC2 allows ${longest}: shorten it` },
    ];
  }
  if (use === 'select' || !/^aws:/i.test(key)) return [];
  return [
    {
      code: 'key-reserved',
      key,
      message: 'tag keys that begin with "aws:" are reserved by AWS: choose another prefix',
    },
  ];
}

function valueProblems(key: string, value: string): readonly TagProblem[] {
  const length = codePoints(value);
  if (length <= EC2_TAG_LIMITS.maxValue) return [];
  const message = `a tag value has ${length} characters, EC2 allows ${EC2_TAG_LIMITS.maxValue}: shorten it`;
  return [{ code: 'value-too-long', key, message }];
}

function codePoints(text: string): number {
  return Array.from(text).length;
}
