/**
 * Writes the files that derive from others: `npm run generate`. With `--check` it writes nothing, names those that are out of
 * date, and fails.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import type { OptionSpec } from '@static-ip/shell';
import { OPERATOR_OPTIONS } from '../packages/ipam-operator/src/app/options/compile-options.ts';
import { METRICS } from '../packages/ipam-operator/src/telemetry/metric-definitions.ts';
import { EIP_CRD, eipCrdJson, eipPage } from './eip-crd.ts';
import { eipTypes } from './eip-types.ts';

const ROOT = join(import.meta.dirname, '..');
const NOTE = '<!-- Made by `npm run generate`: change its source instead. -->';

const FILES: Readonly<Record<string, () => Promise<string> | string>> = {
  'docs/reference/options.md': optionsPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/eip.md': async () => `${NOTE}\n\n${await eipPage(join(ROOT, EIP_CRD), table)}`,
  // The bundle and the compiler want it inside the package.
  'packages/ipam-operator/src/schema/options.schema.json': () =>
    readFile(join(ROOT, 'schemas/operator/options.schema.json'), 'utf8'),
  'packages/ipam-operator/src/schema/eip-fields.ts': () => eipTypes(join(ROOT, EIP_CRD)),
  'packages/ipam-operator/src/schema/eip-crd.json': () => eipCrdJson(join(ROOT, EIP_CRD)),
};

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const stale: string[] = [];
for (const [name, make] of Object.entries(FILES)) {
  const path = join(ROOT, name);
  const text = await format(await make(), { ...(await resolveConfig(path)), filepath: path });
  const before = await readFile(path, 'utf8').catch(() => '');
  if (text === before) continue;
  stale.push(name);
  if (!values.check) await writeFile(path, text);
}
if (stale.length > 0)
  console.log(`${values.check ? 'out of date, run `npm run generate`' : 'written'}: ${stale.join(', ')}`);
if (values.check && stale.length > 0) process.exitCode = 1;

function optionsPage(): string {
  const rows = OPERATOR_OPTIONS.all.map((option) => [
    `\`${option.flag}\``,
    `\`${option.environment}\``,
    option.defaultText === undefined ? '' : `\`${option.defaultText}\``,
    `${option.description} ${acceptedBy(option)}`,
    option.commands.map((command) => `\`${command}\``).join(', '),
  ]);
  return `${NOTE}

# Options of ipam-operator

A flag wins over its environment variable, the variable over the default. An empty variable counts as not set. All mistakes
are told at once, and the process ends with code 2. The AWS SDK's own variables (\`AWS_REGION\`, \`AWS_ENDPOINT_URL\`,
\`AWS_ENDPOINT_URL_EC2\` and those of its credentials chain) are honoured beside these.

${table(['flag', 'environment', 'default', 'meaning', 'commands'], rows)}

An option that may be repeated is a list with commas in the environment: \`REQUIRE_TAG=team=a,stage=prod\`.

Source: \`schemas/operator/options.schema.json\`.
`;
}

function acceptedBy({ accepts, isList, separator }: OptionSpec): string {
  if (separator !== undefined) return `Accepted: a list with commas, each ${accepts}.`;
  return `Accepted: ${accepts}${isList ? '; may be repeated' : ''}.`;
}

function metricsPage(): string {
  const rows = Object.values(METRICS).map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    `${help}.`,
  ]);
  return `${NOTE}

# Metrics of ipam-operator

Served at \`/metrics\` of \`--metrics-bind-address\`. Durations are in seconds.

${table(['metric', 'type', 'labels', 'meaning'], rows)}

Source: \`packages/ipam-operator/src/telemetry/metric-definitions.ts\`.
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(tableLine).join('\n');
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
