import type { Finding } from './finding.ts';

/** Tag key to value. `''` is a value like any other; the empty object means "no address wanted", absent means "nothing said". */
export type Tags = Readonly<Record<string, string>>;

/** The `ipam` block that Cilium would use. */
export type IpamSettings = {
  /** The tags, or undefined when the key is absent, null or unreadable; `{}` stays `{}`. */
  readonly staticIpTags: Tags | undefined;
  /** Every other key of the block as written: spelling, values and zeros untouched. */
  readonly raw: Readonly<Record<string, unknown>>;
};

/** One CNI network configuration file as Cilium's own reader sees it. */
export type CniConfig = {
  readonly file: string;
  /** Where the settings come from: an entry of `plugins`, or the top level of the file. */
  readonly format: 'list' | 'single';
  readonly name: string | undefined;
  readonly cniVersion: string | undefined;
  /** The entry the settings come from; `index` only for a list. */
  readonly plugin: { readonly type: string | undefined; readonly index?: number };
  /** Undefined when there is no `ipam` block. */
  readonly ipam: IpamSettings | undefined;
  /**
   * False when tags seem to be meant but could not be read (wrong type, misspelt or misplaced key). Then
   * `staticIpTags` is undefined and must not be taken for "no tags wanted": keep the last good ones.
   */
  readonly tagsKnown: boolean;
  /** False when a container runtime would skip this file (no name, type or plugins, or a byte order mark). */
  readonly usableByRuntime: boolean;
};

/** A configuration with what is worth saying about it, or the reasons why there is none. */
export type ParseResult =
  | { readonly ok: true; readonly config: CniConfig; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** What a directory such as `/etc/cni/net.d` holds for us. */
export type DirectoryResult = {
  /** The file the tags come from; undefined when no file is usable. */
  readonly chosen?: { readonly file: string; readonly config: CniConfig };
  /** Files with the right ending that could not be used, each with its reasons. */
  readonly skipped: readonly { readonly file: string; readonly findings: readonly Finding[] }[];
  /** Findings on the directory as a whole and on the chosen file. */
  readonly findings: readonly Finding[];
};
