/** How much a finding matters: an `error` means something was not read, a `warning` that somebody will be surprised. */
export type Severity = 'error' | 'warning' | 'info';

/**
 * Everything this package can say about a file, as a closed list. Codes are stable; messages are not.
 *
 * | code | severity | meaning |
 * |---|---|---|
 * | `unreadable` | error | the file or directory could not be read |
 * | `too-large`, `too-deep` | error | refused before parsing, so that no file can exhaust the reader |
 * | `invalid-json` | error | not JSON (comments and trailing commas are not JSON) |
 * | `not-an-object` | error | JSON, but not an object |
 * | `ipam-not-object`, `tags-not-object`, `tag-value-not-string` | error | tags are there and could not be read |
 * | `byte-order-mark` | warning | tolerated here; Cilium and the runtimes refuse the file |
 * | `cilium-drops-tags` | warning | a wrong type makes Cilium lose the tags silently; kept here |
 * | `cilium-refuses-file` | warning | a wrong type makes Cilium refuse the file; tags kept here |
 * | `null-plugin` | warning | a null list entry, on which Cilium's reader crashes; ignored here |
 * | `null-tag-value` | warning | null read as the empty string, as Cilium does |
 * | `duplicate-key` | warning | the later one wins, objects are merged, as Cilium does |
 * | `misspelt-tags-key` | warning | a key that was probably meant to be `static-ip-tags` |
 * | `misplaced-tags` | warning | `static-ip-tags` where nobody reads it |
 * | `no-cilium-plugin` | info | a list without `cilium-cni`: the top level is read instead, as Cilium does |
 * | `missing-field`, `wrong-type`, `bad-value` | warning | against the schema, without effect on the tags |
 * | `skipped-file` | warning | a file of the directory is not usable |
 * | `no-network-config` | error | the directory holds no usable file |
 * | `not-first-config` | warning | the runtime uses an earlier file than the one the tags come from |
 * | `tags-in-later-file` | warning | a later file has tags that are not used |
 */
export type FindingCode =
  | 'unreadable'
  | 'too-large'
  | 'too-deep'
  | 'invalid-json'
  | 'not-an-object'
  | 'ipam-not-object'
  | 'tags-not-object'
  | 'tag-value-not-string'
  | 'byte-order-mark'
  | 'cilium-drops-tags'
  | 'cilium-refuses-file'
  | 'null-plugin'
  | 'null-tag-value'
  | 'duplicate-key'
  | 'misspelt-tags-key'
  | 'misplaced-tags'
  | 'no-cilium-plugin'
  | 'missing-field'
  | 'wrong-type'
  | 'bad-value'
  | 'skipped-file'
  | 'no-network-config'
  | 'not-first-config'
  | 'tags-in-later-file';

/**
 * Something worth telling about a file. `line` and `column` count from 1, columns in UTF-16 units as editors do;
 * `pointer` is a JSON pointer (RFC 6901) in the file's own spelling, `''` for the whole document.
 */
export type Finding = {
  readonly severity: Severity;
  readonly code: FindingCode;
  /** What is the matter and what to do about it, in one line. */
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
  /** For a misspelt or misplaced key: the key that is read. */
  readonly intendedKey?: string;
  /** One more sentence where a message would get too long. */
  readonly hint?: string;
};

/** One line in the form compilers use, so that editors and CI can jump to it: `file:line:col: severity: message (pointer)`. */
export function formatFinding(finding: Finding): string {
  const { file, line, column, severity, message, pointer, hint } = finding;
  const where = pointer === '' ? '' : ` (${pointer})`;
  const more = hint === undefined ? '' : `; ${hint}`;
  return `${file}:${line}:${column}: ${severity}: ${message}${more}${where}`;
}
