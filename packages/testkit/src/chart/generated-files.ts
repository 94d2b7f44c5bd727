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
  readonly properties: { readonly agent: { readonly properties: object }; readonly [name: string]: unknown };
}

/** What the DaemonSet says itself: which node it is on, and that it uses its own account. */
const NOT_OF_THE_CHART: ReadonlySet<string> = new Set(['nodeName', 'kubeconfig']);

/** The chart's files that follow from the options of both programs, from the definition of Eip and from each other. */
export async function generatedFiles(): Promise<readonly GeneratedFile[]> {
  const operator = await optionsIn('schemas/operator/options.schema.json');
  const agent = new Map(
    [...(await optionsIn('schemas/agent/options.schema.json'))].filter(([name]) => !NOT_OF_THE_CHART.has(name)),
  );
  const values = await rewritten('values.yaml', (text) =>
    withOptions(withOptions(text, 'ipam-operator', operator), 'static-ip-agent', agent),
  );
  const schemas = { operator: optionsValueSchema(operator), agent: optionsValueSchema(agent) };
  return [
    values,
    await rewritten('values.schema.json', (text) => withOptionsSchemas(text, schemas)),
    await rewritten('README.md', (text) => withValuesTable(text, values.after)),
    await copyOf(EIP_CRD),
  ];
}

async function optionsIn(file: string): Promise<ReturnType<typeof resolveOptions>> {
  const schema: OptionsSchema = JSON.parse(await readFile(inRepository(file), 'utf8'));
  return resolveOptions(schema);
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
function withOptionsSchemas(
  text: string,
  { operator, agent }: { readonly operator: object; readonly agent: object },
): string {
  const before: ValuesSchema = JSON.parse(text);
  const ofAgent = before.properties.agent;
  const properties = {
    ...before.properties,
    options: operator,
    agent: { ...ofAgent, properties: { ...ofAgent.properties, options: agent } },
  };
  const after = { ...before, properties };
  return JSON.stringify(before) === JSON.stringify(after) ? text : `${JSON.stringify(after, null, 2)}\n`;
}
