import { Document } from 'yaml';
import type { OptionSchema } from './option-schema.ts';

/** What the chart says for an option with no default: the flag is left out. */
const NOT_SET = '';

const END = '# --- end of the generated options';

/** The text of values.yaml with a program's block of options written anew: each with its description and default. */
export function withOptions(valuesYaml: string, program: string, options: ReadonlyMap<string, OptionSchema>): string {
  const begin = new RegExp(`^( *)# --- options of ${program}, .*$`, 'm').exec(valuesYaml);
  const [mark = '', indent = ''] = begin ?? [];
  const start = (begin?.index ?? 0) + mark.length;
  const end = valuesYaml.indexOf(`\n${indent}${END}`, start);
  if (begin === null || end < 0) throw new Error(`values.yaml has lost the marks around the options of ${program}`);
  return `${valuesYaml.slice(0, start)}\n${optionsBlock(options, indent)}${valuesYaml.slice(end)}`;
}

function optionsBlock(options: ReadonlyMap<string, OptionSchema>, indent: string): string {
  const lines = [...options].flatMap(([name, option]) => [
    `  # ${option.description ?? ''}`,
    `  ${yamlLine(name, option.default ?? NOT_SET)}`,
  ]);
  return ['options:', ...lines].map((line) => `${indent}${line}`).join('\n');
}

/** Helm reads YAML 1.1, where a bare `off` is no text: what would change its meaning there is put in quotes. */
function yamlLine(name: string, value: unknown): string {
  const document = new Document({ [name]: value }, { version: '1.1' });
  return document
    .toString({ singleQuote: true, flowCollectionPadding: false, collectionStyle: 'flow' })
    .trim()
    .replace(/^\{(.*)\}$/, '$1');
}

/** The schema of the values' `options`: the program's own, in words that Helm's validator understands. */
export function optionsValueSchema(options: ReadonlyMap<string, OptionSchema>): object {
  const properties = Object.fromEntries([...options].map(([name, option]) => [name, valueSchema(option)]));
  return { type: 'object', additionalProperties: false, properties };
}

function valueSchema(option: OptionSchema): object {
  const schema = portable(option);
  if (option.default !== undefined || option.type !== 'string') return schema;
  const { description, ...rest } = schema;
  return { description, anyOf: [{ const: NOT_SET }, rest] };
}

/** Without our own keywords, which Helm need not know, and with a look-ahead for the length as the keyword for it. */
function portable(option: OptionSchema): Record<string, unknown> {
  const kept = Object.fromEntries(Object.entries(option).filter(([keyword]) => !keyword.startsWith('x-')));
  const items = option.items === undefined ? {} : { items: portable(option.items) };
  return { ...kept, ...items, ...portablePattern(option.pattern) };
}

/** Helm's validator is written in Go, whose expressions have no look-ahead (https://github.com/google/re2/wiki/Syntax). */
function portablePattern(pattern: string | undefined): object {
  if (pattern?.includes('(?') !== true) return {};
  const found = /^\^\(\?=\.\{(\d+),(\d+)\}\$\)(.*)$/.exec(pattern);
  const rest = found?.[3] ?? '(?';
  if (rest.includes('(?')) throw new Error(`Helm cannot check the pattern ${pattern}: say it without a look-ahead`);
  return { minLength: Number(found?.[1]), maxLength: Number(found?.[2]), pattern: `^${rest}` };
}
