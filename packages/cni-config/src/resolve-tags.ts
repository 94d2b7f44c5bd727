import type { DirectoryResult, CniConfig, ParseResult, Tags } from './network-config.ts';

/** What each route says; undefined means that it says nothing. */
export type TagSources = {
  /** From the CNI configuration file. */
  readonly file?: Tags | undefined;
  /** From a command line flag or its environment twin. */
  readonly flag?: Tags | undefined;
};

export type ResolvedTags = { readonly source: 'file' | 'flag' | 'none'; readonly tags: Tags | undefined };

/**
 * The tags of a node from all routes, by Cilium's precedence: a file with tags, else the flag, else nothing. Maps are not
 * merged. An empty map in the file does not hide the flag, but stays `{}` when there is no flag. The IPAM mode plays no
 * part, on purpose: nothing here can depend on it.
 *
 * Source: https://github.com/cilium/cilium/pull/43524 (file), https://github.com/cilium/cilium/pull/44010 (flag)
 */
export function resolveTags({ file, flag }: TagSources): ResolvedTags {
  if (file !== undefined && (!isEmpty(file) || flag === undefined)) return { source: 'file', tags: file };
  return flag === undefined ? { source: 'none', tags: undefined } : { source: 'flag', tags: flag };
}

/**
 * The file's tags after a new read, given the last good ones: a broken, missing or misspelt file never blanks known tags.
 * Absence is believed only when Cilium's own entry was read without doubt and no file was skipped, since that entry also
 * disappears for a while whenever Cilium restarts. To give the address back on purpose, take the key out of Cilium's
 * entry or write `{}`.
 */
export function keepLastGoodTags(read: ParseResult | DirectoryResult, lastGood: Tags | undefined): Tags | undefined {
  const config = configOf(read);
  if (config?.ipam?.staticIpTags !== undefined) return config.ipam.staticIpTags;
  const isCertain = config !== undefined && config.tagsKnown && config.plugin.type === 'cilium-cni';
  const isComplete = 'ok' in read || read.skipped.length === 0;
  return isCertain && isComplete ? undefined : lastGood;
}

function configOf(read: ParseResult | DirectoryResult): CniConfig | undefined {
  if (!('ok' in read)) return read.chosen?.config;
  return read.ok ? read.config : undefined;
}

function isEmpty(tags: Tags): boolean {
  return Object.keys(tags).length === 0;
}
