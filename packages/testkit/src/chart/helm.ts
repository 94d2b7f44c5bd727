import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureAsset } from '../assets/ensure-asset.ts';

/** Values of a release: a nested object, as in a values file. */
export type ChartValues = Readonly<Record<string, unknown>>;

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs the real helm and resolves to its standard output. `values` are passed as a file on standard input.
 * @throws Error with what helm wrote to standard error.
 */
export async function helm(args: readonly string[], values?: ChartValues): Promise<string> {
  const program = await ensureAsset('helm');
  const words = values === undefined ? args : [...args, '--values', '-'];
  const running = run(program, words, { maxBuffer: MAX_OUTPUT_BYTES });
  running.child.stdin?.end(values === undefined ? '' : JSON.stringify(values));
  const { stdout } = await running;
  return stdout;
}
