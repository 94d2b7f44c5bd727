import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { resolveOptions } from './option-schema.ts';
import type { OptionsSchema } from './option-schema.ts';
import { optionsValueSchema, withOptions } from './option-values.ts';
import { CHART, inRepository } from './repository.ts';
import { withValuesTable } from './values-table.ts';

/** Where the definition of Eip is written by hand. */
const EIP_CRD = 'schemas/crd/eips.materialize.cloud.yaml';

/** A checked-in file, with what is generated in it written anew. */
export interface GeneratedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

interface ValuesSchema {
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The chart's files that follow from the operator's options, from the definition of Eip and from each other. */
export async function generatedFiles(): Promise<readonly GeneratedFile[]> {
  const schema: OptionsSchema = JSON.parse(
    await readFile(inRepository('schemas/operator/options.schema.json'), 'utf8'),
  );
  const options = resolveOptions(schema);
  const values = await rewritten('values.yaml', (text) => withOptions(text, options));
  return [
    values,
    await rewritten('values.schema.json', (text) => withOptionsSchema(text, optionsValueSchema(options))),
    await rewritten('README.md', (text) => withValuesTable(text, values.after)),
    await copyOf(EIP_CRD),
  ];
}

/** A chart can only read files of its own. */
async function copyOf(source: string): Promise<GeneratedFile> {
  const file = path.join(CHART, 'files', path.basename(source));
  const before = await readFile(file, 'utf8').catch(() => '');
  return { file, before, after: await readFile(inRepository(source), 'utf8') };
}

async function rewritten(name: string, rewrite: (text: string) => string): Promise<GeneratedFile> {
  const file = path.join(CHART, name);
  const before = await readFile(file, 'utf8');
  return { file, before, after: rewrite(before) };
}

/** Unchanged when it says the same: how its lines are broken is the formatter's. */
function withOptionsSchema(text: string, options: object): string {
  const before: ValuesSchema = JSON.parse(text);
  const after = { ...before, properties: { ...before.properties, options } };
  return JSON.stringify(before) === JSON.stringify(after) ? text : `${JSON.stringify(after, null, 2)}\n`;
}
