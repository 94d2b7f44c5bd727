import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureAsset } from '../assets/ensure-asset.ts';
import { inRepository } from '../chart/repository.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { AWS_CLI, ensurePythonTool } from '../python/ensure-python-tool.ts';

/** Where a person follows a page of the documentation: kubectl, helm and the AWS CLI, in a checkout of this repository. */
export interface Workstation {
  /**
   * Runs the commands of one block in bash until one fails; what earlier blocks exported is there. Resolves to all that
   * was written to standard output.
   * @throws Error with the commands and all that they wrote, when one fails
   */
  run(commands: string): Promise<string>;
  /** A file that the commands wrote. */
  read(file: string): string;
}

const run = promisify(execFile);
const TIMEOUT_MS = 90_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Prepares one for the administrator of a cluster and of the account at `endpoint`. Its home and its working directory are
 * in the cluster's `dataDir`, and go with it.
 * @throws AssetError or ToolUnavailableError when a program cannot be had
 */
export async function openWorkstation(
  cluster: Pick<Cluster, 'dataDir' | 'kubeconfigPath'>,
  endpoint: string,
  signal: AbortSignal,
): Promise<Workstation> {
  const home = mkdtempSync(path.join(cluster.dataDir, 'workstation-'));
  const [bin, checkout] = [path.join(home, 'bin'), path.join(home, 'checkout')];
  for (const folder of [bin, checkout, path.join(home, '.kube')]) mkdirSync(folder);
  copyFileSync(cluster.kubeconfigPath, path.join(home, '.kube/config'));
  for (const name of ['kubectl', 'helm'] as const)
    symlinkSync(await ensureAsset(name, { signal }), path.join(bin, name));
  symlinkSync(await ensurePythonTool(AWS_CLI, process.env, signal), path.join(bin, 'aws'));
  for (const name of ['charts', 'schemas', 'packages', 'node_modules', 'package.json']) {
    symlinkSync(inRepository(name), path.join(checkout, name));
  }
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    AWS_ENDPOINT_URL_EC2: endpoint,
    AWS_ACCESS_KEY_ID: 'administrator',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_EC2_METADATA_DISABLED: 'true',
    PYENV_VERSION: process.env['PYENV_VERSION'],
  };
  const exported: string[] = [];

  return {
    read: (file) => readFileSync(path.join(checkout, file), 'utf8'),
    async run(commands) {
      const script = [...exported, commands].join('\n');
      exported.push(...commands.split('\n').filter((line) => line.startsWith('export ')));
      const how = { cwd: checkout, env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
      try {
        return (await run('bash', ['-euo', 'pipefail', '-c', script], how)).stdout;
      } catch (cause) {
        throw new Error(`this failed:\n${commands}\n${outputOf(cause)}`, { cause });
      }
    },
  };
}

/** What the commands wrote, which the error of a process carries. */
function outputOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { stdout = '', stderr = '' }: Error & { readonly stdout?: string; readonly stderr?: string } = cause;
  return `${stdout}${stderr}`;
}
