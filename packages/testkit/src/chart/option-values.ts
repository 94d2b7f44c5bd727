import { Document } from 'yaml';
import type { OptionSchema } from './option-schema.ts';

/** What the chart says for an option with no default: the flag is left out. */
const NOT_SET = '';

const BEGIN = /^# --- options of ipam-operator.*$/m;
const END = '# --- end of the generated options';

/** The text of values.yaml with its block of options written anew: each with its description and default. */
export function withOptions(valuesYaml: string, options: ReadonlyMap<string, OptionSchema>): string {
  const begin = BEGIN.exec(valuesYaml);
  const end = valuesYaml.indexOf(END);
  if (begin === null || end < begin.index)
    throw new Error('values.yaml has lost the marks around the generated options');
  const head = valuesYaml.slice(0, begin.index + begin[0].length);
  return `${head}\n${optionsBlock(options)}${valuesYaml.slice(end)}`;
}

function optionsBlock(options: ReadonlyMap<string, OptionSchema>): string {
  const lines = [...options].flatMap(([name, option]) => [
    `  # ${option.description ?? ''}`,
    `  ${yamlLine(name, option.default ?? NOT_SET)}`,
  ]);
  return ['options:', ...lines, ''].join('\n');
}

function yamlLine(name: string, value: unknown): string {
  const document = new Document({ [name]: value });
  return document
    .toString({ singleQuote: true, flowCollectionPadding: false, collectionStyle: 'flow' })
    .trim()
    .replace(/^\{(.*)\}$/, '$1');
}

/** The schema of the values' `options`: the operator's own, in words that Helm's validator understands. */
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
