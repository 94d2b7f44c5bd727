import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheDirectory, cachedFile } from './cache.ts';
import { wrappedProgram } from './catalogue.ts';
import type { EnsureAssetOptions } from './ensure-asset.ts';
import { goBuild } from './go-build.ts';
import { findGo } from './go-toolchain.ts';
import { progressLines } from './progress.ts';

const run = promisify(execFile);

/** Cilium's published definition, or why it cannot be had here. */
export type CiliumCrd =
  { readonly yaml: string; readonly version: string } | { readonly yaml: undefined; readonly reason: string };

/** A CiliumNode definition that can be installed, and whose it is. */
export interface CiliumNodeCrd {
  readonly yaml: string;
  readonly source: 'cilium' | 'fallback';
  /** Why the fallback was taken, or which version of Cilium published the definition. */
  readonly detail: string;
}

/** The definitions that are used here, by their names in Cilium's module. */
export type CiliumCrdName = 'ciliumnodes' | 'ciliumegressgatewaypolicies';

/**
 * A CRD as Cilium publishes it in its Go module, fetched and cached at test time; it is no part of this repository. Never
 * throws but for an aborted signal: offline, or without Go, the answer is the reason.
 */
export async function ciliumCrd(name: CiliumCrdName, options: EnsureAssetOptions = {}): Promise<CiliumCrd> {
  const fileName = `${name}.yaml`;
  const environment = options.environment ?? process.env;
  const signal = options.signal ?? new AbortController().signal;
  const onProgress = options.onProgress ?? progressLines((line) => process.stderr.write(line));
  const program = wrappedProgram('cilium-crds');
  const make = async (file: string): Promise<void> => {
    const printer = `${file}.printer`;
    const go = await findGo(environment, signal);
    await goBuild({ asset: 'cilium-crds', go, program, outputFile: printer, environment, onProgress }, signal);
    const { stdout } = await run(printer, [fileName], { signal, maxBuffer: 16 * 1024 * 1024 });
    writeFileSync(file, stdout);
    rmSync(printer);
  };
  const key = `cilium-crds-${program.version}-${program.hash}-${name}`;
  try {
    const file = await cachedFile({ cache: cacheDirectory(environment), key, fileName, make }, signal);
    return { yaml: readFileSync(file, 'utf8'), version: program.version };
  } catch (error) {
    signal.throwIfAborted();
    return { yaml: undefined, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Cilium's own CiliumNode definition where it can be had, else our minimal one with the fields we use. */
export async function ciliumNodeCrd(options: EnsureAssetOptions = {}): Promise<CiliumNodeCrd> {
  const published = await ciliumCrd('ciliumnodes', options);
  if (published.yaml !== undefined) {
    return { yaml: published.yaml, source: 'cilium', detail: `Cilium ${published.version}` };
  }
  return { yaml: fallbackCiliumNodeCrd(), source: 'fallback', detail: published.reason };
}

/** Our minimal CiliumNode definition: the fields we use are typed, the rest is kept as it comes. */
export function fallbackCiliumNodeCrd(): string {
  const file = new URL('../../../../schemas/crd/ciliumnodes.fallback.yaml', import.meta.url);
  return readFileSync(fileURLToPath(file), 'utf8');
}
