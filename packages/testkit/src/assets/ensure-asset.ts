import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { cacheDirectory, cachedFile } from './cache.ts';
import type { AssetEnvironment } from './cache.ts';
import { wrappedProgram } from './catalogue.ts';
import type { AssetName } from './catalogue.ts';
import { goBuild } from './go-build.ts';
import type { BuildProgress } from './go-build.ts';
import { findGo } from './go-toolchain.ts';
import { progressLines } from './progress.ts';

export interface EnsureAssetOptions {
  /** Called once a second while building. Default: a line on standard error every 5 seconds. */
  readonly onProgress?: (progress: BuildProgress) => void;
  readonly signal?: AbortSignal;
  /** Default: the environment of this process. */
  readonly environment?: AssetEnvironment;
}

/**
 * The absolute path of a program for tests, looked for in this order:
 *
 * 1. the directory that KUBEBUILDER_ASSETS names, as every envtest-style tool does;
 * 2. `static-ip-testkit/<name>-<version>-<hash of the wrapper>/` under the user's cache directory;
 * 3. built there with Go, which takes minutes the first time.
 *
 * @throws AssetError saying what to install when it is in neither place and cannot be built.
 */
export async function ensureAsset(name: AssetName, options: EnsureAssetOptions = {}): Promise<string> {
  const environment = options.environment ?? process.env;
  const provided = environment['KUBEBUILDER_ASSETS'];
  if (provided) {
    const file = path.resolve(provided, name);
    if (isExecutable(file)) return file;
  }
  const program = wrappedProgram(name);
  const onProgress = options.onProgress ?? progressLines((line) => process.stderr.write(line));
  const key = `${name}-${program.version}-${program.hash}`;
  const make = async (outputFile: string, signal: AbortSignal): Promise<void> => {
    const go = await findGo(environment, signal);
    await goBuild({ asset: name, go, program, outputFile, environment, onProgress }, signal);
  };
  const signal = options.signal ?? new AbortController().signal;
  return cachedFile({ cache: cacheDirectory(environment), key, fileName: name, make }, signal);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Absent or not executable: either way it is not the asset.
    return false;
  }
}
