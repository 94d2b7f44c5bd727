import { isMap, isNode, isScalar, parseDocument } from 'yaml';
import type { Node, Pair, YAMLMap } from 'yaml';

/** One value of the chart: its path, its default as JSON, and the comment above it. */
export interface ValueRow {
  readonly path: string;
  readonly value: string;
  readonly comment: string;
}

/**
 * The rows of a values.yaml, in its order. A mapping whose keys have comments of their own is a section; any other value
 * with a comment is one row.
 * @throws Error that names a value without a comment.
 */
export function valueRows(valuesYaml: string): readonly ValueRow[] {
  const { contents } = parseDocument(valuesYaml);
  if (!isMap(contents)) throw new Error('values.yaml is no mapping');
  return rowsOf(contents, '');
}

function rowsOf(map: YAMLMap, prefix: string): readonly ValueRow[] {
  return map.items.flatMap((pair, index) => {
    const { key, value } = nodesOf(pair);
    const path = `${prefix}${key}`;
    if (isMap(value) && value.items.length > 0 && isSection(value)) return rowsOf(value, `${path}.`);
    const comment = commentOf(map, pair, index);
    if (comment === undefined) throw new Error(`the value ${path} has no comment above it`);
    return [{ path, value: JSON.stringify(value?.toJSON() ?? null), comment }];
  });
}

function nodesOf({ key, value }: Pair): { readonly key: string; readonly value: Node | undefined } {
  return { key: isScalar(key) ? String(key.value) : String(key), value: isNode(value) ? value : undefined };
}

function isSection(map: YAMLMap): boolean {
  return map.items.some((pair, index) => commentOf(map, pair, index) !== undefined);
}

/**
 * The last paragraph above the key: what a blank line separates is about more than the key. The comment above the first key
 * of a nested mapping belongs to the mapping, in the parser's eyes.
 */
function commentOf(map: YAMLMap, { key }: Pair, index: number): string | undefined {
  const own = isScalar(key) ? key.commentBefore : undefined;
  const above = own ?? (index === 0 ? map.commentBefore : undefined);
  const paragraph =
    above
      ?.split(/\n\s*\n/)
      .at(-1)
      ?.split('\n') ?? [];
  const lines = paragraph.map((line) => line.trim()).filter((line) => !line.startsWith('---'));
  return lines.length === 0 ? undefined : lines.join(' ');
}

const BEGIN = '<!-- values: written by `npm run generate` -->';
const END = '<!-- end of values -->';

/** The text of a README with its table of values written anew. */
export function withValuesTable(readme: string, valuesYaml: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('the README has lost the marks around its table of values');
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${table(valueRows(valuesYaml))}\n\n${readme.slice(end)}`;
}

/** The formatter would pad every row to the longest, so that one new value touches all lines. */
function table(rows: readonly ValueRow[]): string {
  const lines = rows.map(({ path, value, comment }) => `| \`${path}\` | \`${cell(value)}\` | ${cell(comment)} |`);
  return [
    '<!-- prettier-ignore-start -->',
    '',
    '| value | default | what it is |',
    '|---|---|---|',
    ...lines,
    '',
    '<!-- prettier-ignore-end -->',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
