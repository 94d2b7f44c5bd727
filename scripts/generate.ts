/**
 * Writes the files that derive from others: `npm run generate`, which runs this twice, since the pages are made from copies
 * that it writes, too. With `--check` it writes nothing, names those that are out of date, and fails.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import type { MetricDefinition, OptionSpec } from '@static-ip/shell';
import { OPERATOR_OPTIONS } from '../packages/ipam-operator/src/app/options/compile-options.ts';
import { METRICS } from '../packages/ipam-operator/src/telemetry/metric-definitions.ts';
import { REASONS } from '../packages/node-agent/src/api/reasons.ts';
import { AGENT_OPTIONS } from '../packages/node-agent/src/app/options.ts';
import { METRICS as AGENT_METRICS } from '../packages/node-agent/src/telemetry/metric-definitions.ts';
import { EIP_CRD, eipCrdJson, eipPage } from './eip-crd.ts';
import { eipTypes } from './eip-types.ts';

const ROOT = join(import.meta.dirname, '..');
const NOTE = '<!-- Made by `npm run generate`: change its source instead. -->';

const OPTION_RULES = `A flag wins over its environment variable, the variable over the default. An empty variable counts as not set. All mistakes
are told at once, and the process ends with code 2. Where neither \`--log-level\` nor \`LOG_LEVEL\` is
given, the level of \`RUST_LOG\` counts.`;

const FILES: Readonly<Record<string, () => Promise<string> | string>> = {
  'docs/reference/options.md': optionsPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/agent-options.md': agentOptionsPage,
  'docs/reference/agent-metrics.md': agentMetricsPage,
  'docs/reference/eip.md': async () => `${NOTE}\n\n${await eipPage(join(ROOT, EIP_CRD), table)}`,
  // The bundle and the compiler want it inside the package.
  'packages/ipam-operator/src/schema/options.schema.json': () =>
    readFile(join(ROOT, 'schemas/operator/options.schema.json'), 'utf8'),
  'packages/node-agent/src/schema/options.schema.json': () =>
    readFile(join(ROOT, 'schemas/agent/options.schema.json'), 'utf8'),
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
  return `${NOTE}

# Options of ipam-operator

${OPTION_RULES} The AWS SDK's own variables (\`AWS_REGION\`, \`AWS_ENDPOINT_URL\`, \`AWS_ENDPOINT_URL_EC2\`
and those of its credentials chain) are honoured beside these.

${optionsTable(OPERATOR_OPTIONS.all)}

An option that may be repeated is a list with commas in the environment: \`REQUIRE_TAG=team=a,stage=prod\`.

Source: \`schemas/operator/options.schema.json\`.
`;
}

function agentOptionsPage(): string {
  return `${NOTE}

# Options of static-ip-agent

${OPTION_RULES} \`static-ip-agent COMMAND --help\` shows those of one command.

${optionsTable(AGENT_OPTIONS.all)}

Source: \`schemas/agent/options.schema.json\`.
`;
}

function optionsTable(options: readonly OptionSpec[]): string {
  const rows = options.map((option) => [
    `\`${option.flag}\``,
    `\`${option.environment}\``,
    option.defaultText === undefined ? '' : `\`${option.defaultText}\``,
    `${option.description} ${acceptedBy(option)}`,
    option.commands.map((command) => `\`${command}\``).join(', '),
  ]);
  return table(['flag', 'environment', 'default', 'meaning', 'commands'], rows);
}

function acceptedBy({ accepts, isList, separator }: OptionSpec): string {
  if (separator !== undefined) return `Accepted: a list with commas, each ${accepts}.`;
  return `Accepted: ${accepts}${isList ? '; may be repeated' : ''}.`;
}

function metricsPage(): string {
  return `${NOTE}

# Metrics of ipam-operator

Served at \`/metrics\` of \`--metrics-bind-address\`. Durations are in seconds.

${metricsTable(Object.values(METRICS))}

Source: \`packages/ipam-operator/src/telemetry/metric-definitions.ts\`.
`;
}

function agentMetricsPage(): string {
  const reasons = Object.entries(REASONS).map(([reason, type]) => [`\`${reason}\``, type === 'none' ? '' : type]);
  return `${NOTE}

# Metrics of static-ip-agent

Served at \`/metrics\` of \`--metrics-bind-address\`. Durations are in seconds.

${metricsTable(Object.values(AGENT_METRICS))}

The reasons of \`static_ip_agent_state\`, and of which type their Events on the Node are:

${table(['reason', 'Event'], reasons)}

Sources: \`packages/node-agent/src/telemetry/metric-definitions.ts\` and \`packages/node-agent/src/api/reasons.ts\`.
`;
}

function metricsTable(metrics: readonly MetricDefinition[]): string {
  const rows = metrics.map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    `${help}.`,
  ]);
  return table(['metric', 'type', 'labels', 'meaning'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(tableLine).join('\n');
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
