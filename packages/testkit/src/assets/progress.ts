import type { BuildProgress } from './go-build.ts';

const EVERY_SECONDS = 5;

/**
 * A progress handler that writes a line every 5 seconds of a build, so that a warm build is silent and a cold one is
 * never mistaken for a hang.
 */
export function progressLines(write: (line: string) => void): (progress: BuildProgress) => void {
  return ({ asset, version, elapsedSeconds, compiledPackages }) => {
    if (elapsedSeconds === 0 || elapsedSeconds % EVERY_SECONDS !== 0) return;
    write(`building ${asset} ${version}: ${elapsedSeconds} s, ${compiledPackages} packages compiled\n`);
  };
}
