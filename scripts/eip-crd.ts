import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

/** Where the definition is written by hand, below the root of the repository. */
export const EIP_CRD = 'schemas/crd/eips.materialize.cloud.yaml';

/** What a page of the reference says of a part of an OpenAPI schema. */
interface Schema {
  readonly type: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

interface Rule {
  readonly rule: string;
  readonly message: string;
}

interface Column {
  readonly name: string;
  readonly description: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: { readonly shortNames: readonly string[]; readonly categories: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly additionalPrinterColumns: readonly Column[];
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

type Row = readonly string[];

/** The definition with its aliases resolved, as JSON text: what the operator's bundle holds. */
export async function eipCrdJson(file: string): Promise<string> {
  return JSON.stringify(parse(await readFile(file, 'utf8')));
}

/** The body of docs/reference/eip.md; `table` makes a Markdown table of a head and rows. */
export async function eipPage(file: string, table: (head: Row, rows: readonly Row[]) => string): Promise<string> {
  const { spec }: Definition = parse(await readFile(file, 'utf8'));
  const stored = spec.versions.find(({ storage }) => storage);
  if (stored === undefined) throw new Error(`${file} has no stored version`);
  const schema = stored.schema.openAPIV3Schema;
  const fields = (part: string): string =>
    table(['field', 'type', 'meaning'], fieldRows(part, schema.properties?.[part]));
  const columns = spec.versions.map(({ name, additionalPrinterColumns: all }) => [
    `\`${name}\``,
    columnNames(all.filter(({ priority = 0 }) => priority === 0)),
    columnNames(all.filter(({ priority = 0 }) => priority > 0)),
  ]);
  return `# Eip

${schema.description ?? ''}

Group \`materialize.cloud\`, versions ${spec.versions.map(({ name }) => `\`${name}\``).join(' and ')}, stored as
\`${stored.name}\`. Both versions have the fields below, all of them: an object may be read and written through either. Short
name \`${spec.names.shortNames.join('`, `')}\`; \`kubectl get ${spec.names.categories.join(',')}\` shows it, too.

## spec

${fields('spec')}

What else the server checks, and what it answers:

${table(['field', 'message'], ruleRows('spec', schema.properties?.['spec']))}

## status

${fields('status')}

## Columns of kubectl get

${table(['version', 'columns', 'with `-o wide` also'], columns)}

Source: \`${EIP_CRD}\`.
`;
}

function fieldRows(path: string, schema: Schema | undefined): readonly Row[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, part]) => {
    const own = `${path}.${name}`;
    const below = part.items === undefined ? fieldRows(own, part) : fieldRows(`${own}[]`, part.items);
    return [[`\`${own}\``, typeOf(part), part.description ?? ''], ...below];
  });
}

function typeOf({ type, enum: words, additionalProperties, items }: Schema): string {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(' or ');
  if (additionalProperties !== undefined) return `map of ${additionalProperties.type}s`;
  return items === undefined ? type : `list of ${items.type}s`;
}

function ruleRows(path: string, schema: Schema | undefined): readonly Row[] {
  const own = (schema?.['x-kubernetes-validations'] ?? []).map(({ message }) => [`\`${path}\``, message]);
  const below = Object.entries(schema?.properties ?? {}).flatMap(([name, part]) => ruleRows(`${path}.${name}`, part));
  return [...own, ...below];
}

function columnNames(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ');
}
