import { auditArgs } from './audit.ts';
import type { Audit } from './audit.ts';
import { servingCertificate, startApiserver } from './apiserver.ts';
import { writeCredentials } from './credentials.ts';
import { startEtcd } from './etcd.ts';
import { freePort } from './free-port.ts';

export interface Programs {
  readonly etcd: string;
  readonly apiserver: string;
}

export interface ControlPlaneOptions {
  readonly programs: Programs;
  readonly directory: string;
  readonly audit: Audit;
}

/** The server processes of one cluster. */
export interface ControlPlane {
  readonly url: string;
  readonly adminToken: string;
  readonly certFile: string;
  readonly keyFile: string;
  pids(): { readonly etcd: number; readonly apiserver: number };
  /** Ends kube-apiserver, gracefully or not, and starts it again on the same port and data. */
  restartApiserver(how: { readonly kill: boolean }): Promise<void>;
  /** Ends everything at once: a test cluster has no data worth a graceful stop. */
  kill(): Promise<void>;
}

const GRACE_MS = 20_000;

/**
 * Starts etcd and kube-apiserver in a directory.
 * @throws ServerStartError when one of them does not start; none is left running then.
 */
export async function startControlPlane(
  { programs, directory, audit }: ControlPlaneOptions,
  signal: AbortSignal,
): Promise<ControlPlane> {
  const { adminToken, tokenFile, serviceAccountKeyFile } = writeCredentials(directory);
  const etcd = await startEtcd(programs.etcd, directory, signal);
  try {
    const port = await freePort();
    const options = {
      program: programs.apiserver,
      directory,
      port,
      etcdUrl: etcd.url,
      tokenFile,
      serviceAccountKeyFile,
      extraArgs: auditArgs(directory, audit),
    };
    let apiserver = await startApiserver(options, signal);
    return {
      url: `https://127.0.0.1:${port}`,
      adminToken,
      ...servingCertificate(directory),
      pids: () => ({ etcd: etcd.process.pid, apiserver: apiserver.pid }),
      restartApiserver: async ({ kill }) => {
        await apiserver.stop(kill ? 0 : GRACE_MS);
        apiserver = await startApiserver(options, signal);
      },
      kill: async () => {
        // The API server first: it would wait for an etcd that has gone.
        await apiserver.stop(0);
        await etcd.process.stop(0);
      },
    };
  } catch (error) {
    await etcd.process.stop(0);
    throw error;
  }
}
