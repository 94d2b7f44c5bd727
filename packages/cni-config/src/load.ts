import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { chooseNetworkConfig, noNetworkConfig } from './choose.ts';
import type { Finding } from './finding.ts';
import { MAX_TEXT_LENGTH } from './json-document.ts';
import type { DirectoryResult, ParseResult } from './network-config.ts';
import { parseNetworkConfig } from './parse.ts';

type Options = { readonly signal: AbortSignal };

/** Endings a container runtime looks at. Source: https://github.com/containernetworking/cni/blob/main/libcni/conf.go */
const ENDINGS: ReadonlySet<string> = new Set(['.conf', '.conflist', '.json']);

/** UTF-8 takes at most three bytes for one UTF-16 unit. */
const MAX_BYTES = 3 * MAX_TEXT_LENGTH;

/**
 * Reads a directory such as `/etc/cni/net.d` by the rule of the container runtimes: by name, files with a known ending
 * only, unusable ones skipped with a warning. See chooseNetworkConfig for which file the tags come from. An unreadable
 * directory is a finding. Throws only the signal's reason.
 */
export async function loadNetworkConfigDirectory(directory: string, options: Options): Promise<DirectoryResult> {
  const names = await orFinding(directory, options, () => readdir(directory));
  if (!Array.isArray(names)) return { skipped: [], findings: [names] };
  const outcomes = [];
  for (const name of names.filter((entry) => ENDINGS.has(path.extname(entry))).toSorted()) {
    const file = path.join(directory, name);
    outcomes.push({ file, result: await loadNetworkConfigFile(file, options) });
  }
  const result = chooseNetworkConfig(directory, outcomes);
  return outcomes.length === 0 ? { skipped: [], findings: [explainEmpty(directory, names)] } : result;
}

/** Reads one file. One that cannot be read, is not a regular file or is too large is a finding. Throws only the signal's reason. */
export async function loadNetworkConfigFile(file: string, options: Options): Promise<ParseResult> {
  const text = await orFinding(file, options, () => readText(file, options));
  return typeof text === 'string' ? parseNetworkConfig(text, { file }) : { ok: false, findings: [text] };
}

async function readText(file: string, { signal }: Options): Promise<string> {
  const status = await stat(file);
  if (!status.isFile()) throw new Error('not a regular file');
  if (status.size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
  // Invalid bytes become U+FFFD, as in Go; the byte order mark stays, so that it can be reported.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readFile(file, { signal }));
}

async function orFinding<T>(file: string, { signal }: Options, read: () => Promise<T>): Promise<T | Finding> {
  signal.throwIfAborted();
  try {
    return await read();
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const message = `cannot be read: ${reason}; check the path and its permissions`;
    return { severity: 'error', code: 'unreadable', message, file, line: 1, column: 1, pointer: '' };
  }
}

/** Cilium renames the files of others, and its own legacy one, to `.cilium_bak`: worth a word when nothing else is left. */
function explainEmpty(directory: string, names: readonly string[]): Finding {
  const backup = names.find((name) => name.endsWith('.cilium_bak'));
  const hint = `${backup} was set aside by Cilium and is not read`;
  return { ...noNetworkConfig(directory), ...(backup === undefined ? {} : { hint }) };
}
