import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { AssetError } from './asset-error.ts';
import type { AssetEnvironment } from './cache.ts';
import type { WrappedProgram } from './catalogue.ts';

/** How far a build is; reported once a second. */
export interface BuildProgress {
  readonly asset: string;
  readonly version: string;
  readonly elapsedSeconds: number;
  /** Packages compiled so far; those found in Go's own build cache are not counted. */
  readonly compiledPackages: number;
}

export interface GoBuild {
  readonly asset: string;
  readonly go: string;
  readonly program: WrappedProgram;
  readonly outputFile: string;
  readonly environment: AssetEnvironment;
  readonly onProgress: (progress: BuildProgress) => void;
}

/** Lines kept of what the go command says, for the error message. */
const MAX_ERROR_LINES = 15;

/**
 * Builds a program of a wrapper module into `outputFile`.
 * @throws AssetError with the last lines of the go command when it fails; the signal's reason when aborted.
 */
export async function goBuild(build: GoBuild, signal: AbortSignal): Promise<void> {
  const { program } = build;
  const args = ['build', '-v', '-trimpath', '-mod=readonly', '-ldflags', program.linkerFlags];
  const child = spawn(build.go, [...args, '-o', build.outputFile, program.goPackage], {
    cwd: program.directory,
    // A go.work of a directory above or GOFLAGS of the user would change what is built.
    env: { ...build.environment, GOWORK: 'off', GOFLAGS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });

  const startedMs = Date.now();
  let compiledPackages = 0;
  let lastLines: readonly string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    // With -v the go command writes the import path of each package it compiles, and nothing else, on a line.
    if (/^[\w.~/-]+$/.test(line)) compiledPackages++;
    lastLines = [...lastLines, line].slice(-MAX_ERROR_LINES);
  });
  const report = (): void => {
    const elapsedSeconds = Math.round((Date.now() - startedMs) / 1000);
    build.onProgress({ asset: build.asset, version: program.version, elapsedSeconds, compiledPackages });
  };
  const reporting = setInterval(report, 1_000);

  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.on('error', (error) =>
    reject(signal.aborted ? signal.reason : new AssetError(`cannot run ${build.go}`, { cause: error })),
  );
  child.on('close', (code) => {
    if (code === 0) resolve();
    else reject(new AssetError(`go could not build ${build.asset} (exit code ${code}):\n${lastLines.join('\n')}`));
  });
  await promise.finally(() => clearInterval(reporting));
}
