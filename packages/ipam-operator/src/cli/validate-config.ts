import { stat } from 'node:fs/promises';
import { formatFinding, loadNetworkConfigDirectory, loadNetworkConfigFile, validateTags } from '@static-ip/cni-config';
import type { CniConfig, Finding, Tags, TagProblem } from '@static-ip/cni-config';
import { formatTable, printJson } from '@static-ip/shell';
import type { Output, Terminal } from '@static-ip/shell';

/** One file as it was judged; `schemas/cli/config-validation.schema.json` describes the printed form. */
export interface FileVerdict {
  readonly file: string;
  /** `chosen`: its tags count. `skipped`: it cannot be used. `other`: a file or directory that is only spoken of. */
  readonly role: 'chosen' | 'skipped' | 'other';
  readonly name: string | null;
  /** Type of the plugin entry whose settings are read. */
  readonly plugin: string | null;
  /** Null: nothing said. Empty: no address is wanted. */
  readonly tags: Tags | null;
  /** False: tags seem to be meant, but cannot be read. */
  readonly tagsKnown: boolean;
  readonly tagProblems: readonly TagProblem[];
  readonly findings: readonly Finding[];
}

/**
 * Judges one CNI configuration file, or a directory of them by the rule of the container runtimes, and prints the
 * verdict. Resolves to the exit code: 2 when anything is an error.
 */
export async function validateConfig(
  path: string,
  output: Output,
  { stdout, signal }: Pick<Terminal, 'stdout' | 'signal'>,
): Promise<0 | 2> {
  const verdicts = (await isDirectory(path)) ? await judgeDirectory(path, signal) : await judgeFile(path, signal);
  if (output === 'json') printJson(stdout, 'ConfigValidation', verdicts);
  else stdout.write(`${describe(verdicts)}\n`);
  return verdicts.some(hasError) ? 2 : 0;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Reading it as a file tells what is the matter, with the same words as for every other file.
    return false;
  }
}

async function judgeFile(file: string, signal: AbortSignal): Promise<readonly FileVerdict[]> {
  const result = await loadNetworkConfigFile(file, { signal });
  return [result.ok ? chosen(file, result.config, result.findings) : skipped(file, result.findings)];
}

async function judgeDirectory(directory: string, signal: AbortSignal): Promise<readonly FileVerdict[]> {
  const result = await loadNetworkConfigDirectory(directory, { signal });
  const about = (file: string): readonly Finding[] => result.findings.filter((finding) => finding.file === file);
  const files = [
    ...(result.chosen === undefined
      ? []
      : [chosen(result.chosen.file, result.chosen.config, about(result.chosen.file))]),
    ...result.skipped.map(({ file, findings }) => skipped(file, [...findings, ...about(file)])),
  ];
  const named = new Set(files.map(({ file }) => file));
  const rest = [...new Set(result.findings.map(({ file }) => file).filter((file) => !named.has(file)))];
  return [...files, ...rest.map((file) => ({ ...skipped(file, about(file)), role: 'other' as const }))];
}

function chosen(file: string, config: CniConfig, findings: readonly Finding[]): FileVerdict {
  const tags = config.ipam?.staticIpTags;
  return {
    file,
    role: 'chosen',
    name: config.name ?? null,
    plugin: config.plugin.type ?? null,
    tags: tags ?? null,
    tagsKnown: config.tagsKnown,
    tagProblems: validateTags(tags ?? {}, { use: 'select' }),
    findings,
  };
}

function skipped(file: string, findings: readonly Finding[]): FileVerdict {
  return { file, role: 'skipped', name: null, plugin: null, tags: null, tagsKnown: true, tagProblems: [], findings };
}

function hasError({ findings, tagProblems }: FileVerdict): boolean {
  return tagProblems.length > 0 || findings.some(({ severity }) => severity === 'error');
}

function describe(verdicts: readonly FileVerdict[]): string {
  const use = verdicts.find(({ role }) => role === 'chosen');
  const findings = verdicts.flatMap((verdict) => [
    ...verdict.findings.map(formatFinding),
    ...verdict.tagProblems.map(({ message, key }) => tagProblemLine(verdict.file, message, key)),
  ]);
  const blocks = [use === undefined ? 'No usable configuration.' : describeChosen(use), findings.join('\n')];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function describeChosen({ file, name, plugin, tags, tagsKnown }: FileVerdict): string {
  const title = `${file}: network ${name ?? '(no name)'}, plugin ${plugin ?? '(no type)'}`;
  if (!tagsKnown) return `${title}\nTags seem to be meant but cannot be read; tags known from before stay in force.`;
  if (tags === null) return `${title}\nNo static-ip-tags: this file asks for no address.`;
  const rows = Object.entries(tags).map(([key, value]) => [key, value === '' ? '""' : value]);
  if (rows.length === 0) return `${title}\nEmpty static-ip-tags: the feature is switched off.`;
  return `${title}\n\n${formatTable(['TAG', 'VALUE'], rows)}`;
}

function tagProblemLine(file: string, message: string, key: string | undefined): string {
  return `${file}: error: ${message}${key === undefined ? '' : ` (tag ${JSON.stringify(key)})`}`;
}
