import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureAsset } from '../assets/ensure-asset.ts';
import type { Cluster } from './start-cluster.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs the real kubectl as the cluster's administrator and resolves to its standard output. Nothing of the user's home is
 * read or written. `input` is its standard input, for `-f -`.
 * @throws Error with what kubectl wrote to standard error.
 */
export async function kubectl(
  cluster: Pick<Cluster, 'kubeconfigPath' | 'dataDir'>,
  args: readonly string[],
  input = '',
): Promise<string> {
  const program = await ensureAsset('kubectl');
  const where = ['--kubeconfig', cluster.kubeconfigPath, '--cache-dir', path.join(cluster.dataDir, 'kubectl-cache')];
  const running = run(program, [...where, ...args], { maxBuffer: MAX_OUTPUT_BYTES });
  running.child.stdin?.end(input);
  return (await running).stdout;
}
