import path from 'node:path';
import { request } from 'undici';
import { freePort } from './free-port.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

export interface Etcd {
  readonly url: string;
  readonly process: ServerProcess;
}

/**
 * Starts a one-member etcd that never waits for the disk: a test cluster has nothing to keep.
 * @throws ServerStartError when it does not become healthy.
 */
export async function startEtcd(program: string, directory: string, signal: AbortSignal): Promise<Etcd> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peerUrl = 'http://127.0.0.1:0';
  const args = [
    `--data-dir=${path.join(directory, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
  const isReady = async (): Promise<boolean> => {
    try {
      const { statusCode, body } = await request(`${url}/health`, { signal });
      await body.dump();
      return statusCode === 200;
    } catch {
      // Not listening yet.
      return false;
    }
  };
  const process = await startServer({ name: 'etcd', program, args, directory, isReady, readyWithinMs: 20_000 }, signal);
  return { url, process };
}
