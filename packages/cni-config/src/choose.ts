import path from 'node:path';
import type { Finding } from './finding.ts';
import type { CniConfig, DirectoryResult, ParseResult } from './network-config.ts';

/** One file of the directory with the outcome of reading it. */
export type FileOutcome = { readonly file: string; readonly result: ParseResult };

type Usable = { readonly file: string; readonly config: CniConfig; readonly findings: readonly Finding[] };

/**
 * Chooses the file the tags come from, out of outcomes sorted by name: the first that is Cilium's (its settings come from
 * a `cilium-cni` entry) or that has, or tries to have, tags; otherwise the first that a container runtime would use. The
 * runtime itself always takes the first usable file, so when that is another one the tags still count, with a warning. A
 * later file never overrides an earlier one.
 */
export function chooseNetworkConfig(directory: string, outcomes: readonly FileOutcome[]): DirectoryResult {
  const usable = outcomes.flatMap(({ file, result }): Usable[] =>
    result.ok ? [{ file, config: result.config, findings: result.findings }] : [],
  );
  const ours = usable.filter(({ config }) => isOurs(config));
  const runtimeChoice = usable.find(({ config }) => config.usableByRuntime);
  const chosen = ours[0] ?? runtimeChoice;
  const skipped = outcomes.flatMap(({ file, result }) => {
    const isUsable = result.ok && (result.config.usableByRuntime || isOurs(result.config));
    return isUsable ? [] : [{ file, findings: result.findings }];
  });
  const remarks = skipped.map(({ file, findings }) => skippedFile(file, findings));
  if (chosen === undefined) return { skipped, findings: [...remarks, noNetworkConfig(directory)] };
  const findings = [...chosen.findings, ...remarks, ...rivals(chosen, runtimeChoice, ours.slice(1))];
  return { chosen: { file: chosen.file, config: chosen.config }, skipped, findings };
}

function isOurs(config: CniConfig): boolean {
  return config.plugin.type === 'cilium-cni' || config.ipam?.staticIpTags !== undefined || !config.tagsKnown;
}

function rivals(chosen: Usable, runtimeChoice: Usable | undefined, others: readonly Usable[]): readonly Finding[] {
  const first =
    runtimeChoice === undefined || runtimeChoice.file === chosen.file ? [] : [notFirst(chosen, runtimeChoice)];
  const tags = canonical(chosen.config);
  const later = others.filter(({ config }) => config.ipam?.staticIpTags !== undefined && canonical(config) !== tags);
  return [...first, ...later.map((other) => tagsInLaterFile(chosen, other))];
}

function canonical(config: CniConfig): string {
  return JSON.stringify(Object.entries(config.ipam?.staticIpTags ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function skippedFile(file: string, findings: readonly Finding[]): Finding {
  const reason = findings.find(({ severity }) => severity === 'error') ?? findings[0];
  const why = reason === undefined ? 'it is not a network configuration' : reason.message;
  const { line, column, pointer } = reason ?? { line: 1, column: 1, pointer: '' };
  return { severity: 'warning', code: 'skipped-file', message: `skipped: ${why}`, file, line, column, pointer };
}

/** The finding for a directory that has nothing to offer. */
export function noNetworkConfig(directory: string): Finding {
  const message = 'no usable network configuration (.conf, .conflist or .json): install one, or name another directory';
  return { ...atStart(directory), severity: 'error', code: 'no-network-config', message };
}

function notFirst(chosen: Usable, runtimeChoice: Usable): Finding {
  const rival = path.basename(runtimeChoice.file);
  const message = `the container runtime uses ${rival}, the tags come from this file: remove or rename the one not meant`;
  return { ...atStart(chosen.file), severity: 'warning', code: 'not-first-config', message };
}

function tagsInLaterFile(chosen: Usable, other: Usable): Finding {
  const message = `its tags are not used, since ${path.basename(chosen.file)} comes first: write the tags there`;
  return { ...atStart(other.file), severity: 'warning', code: 'tags-in-later-file', message };
}

function atStart(file: string): Pick<Finding, 'file' | 'line' | 'column' | 'pointer'> {
  return { file, line: 1, column: 1, pointer: '' };
}
