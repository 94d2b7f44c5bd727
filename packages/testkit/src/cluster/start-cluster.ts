import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureAsset } from '../assets/ensure-asset.ts';
import { auditLogFileIn } from './audit.ts';
import type { Audit } from './audit.ts';
import { createApiClient } from './api.ts';
import type { ApiClient } from './api.ts';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane, Programs } from './control-plane.ts';
import { eventually } from './eventually.ts';
import { writeKubeconfigFile } from './kubeconfig.ts';
import { guardOrphans } from './orphan-guard.ts';
import { createServiceAccountToken } from './service-account.ts';
import type { ServiceAccountTokenRequest } from './service-account.ts';
import { ServerStartError } from './server-process.ts';

/** A real etcd and kube-apiserver of a test: RBAC on, no controllers, no scheduler, no kubelets. */
export interface Cluster {
  readonly url: string;
  /** PEM file with the authority of the server's certificate. */
  readonly caFile: string;
  /** The server's own certificate and key, for a proxy that wants to be taken for it. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Kubeconfig of the administrator (group system:masters). */
  readonly kubeconfigPath: string;
  readonly adminToken: string;
  /** Where the audit log is, one audit.k8s.io/v1 Event a line, when `audit` was asked for. */
  readonly auditLogFile: string;
  /** Directory of all files of the cluster, logs included; removed by `stop`. */
  readonly dataDir: string;
  /** Client of the administrator. */
  readonly api: ApiClient;
  /** Writes one more kubeconfig into `dataDir`: for another user, or another server such as a proxy. */
  writeKubeconfig(options?: { readonly token?: string; readonly server?: string }): string;
  /** A bound token of a service account, which is created if missing, from the TokenRequest API. */
  createServiceAccountToken(request: ServiceAccountTokenRequest): Promise<string>;
  /** Ends kube-apiserver (`kill`: with SIGKILL, at once) and starts it again on the same port and data. */
  restartApiserver(options?: { readonly kill?: boolean }): Promise<void>;
  /** Process ids, to signal or to measure. */
  pids(): { readonly etcd: number; readonly apiserver: number };
  /** Ends the servers and removes `dataDir`; may be called more than once. */
  stop(): Promise<void>;
}

export interface StartClusterOptions {
  /** Log every write (`all`: every request) but those of the servers themselves to `auditLogFile`. Default false. */
  readonly audit?: Audit;
  readonly signal?: AbortSignal;
}

const PORT_TRIES = 3;

/**
 * Starts a cluster on free ports of the loopback interface; any number may run at the same time. Ready means that
 * /readyz says so and that the namespaces `default` and `kube-system` exist.
 * @throws AssetError when the programs cannot be had; ServerStartError with the log when one does not start.
 */
export async function startCluster({ signal, audit = false }: StartClusterOptions = {}): Promise<Cluster> {
  const wait = signal ?? new AbortController().signal;
  const programs = { etcd: await ensureAsset('etcd'), apiserver: await ensureAsset('kube-apiserver') };
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(programs, { audit }, wait);
    } catch (error) {
      if (attempt === PORT_TRIES || !isPortTaken(error)) throw error;
    }
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof ServerStartError && error.log.includes('address already in use');
}

/** Both exist in every cluster, but the server makes them a moment after it says that it is ready. */
const SYSTEM_NAMESPACES = ['default', 'kube-system'];

async function startOnce(
  programs: Programs,
  features: { readonly audit: Audit },
  signal: AbortSignal,
): Promise<Cluster> {
  const directory = mkdtempSync(path.join(tmpdir(), 'static-ip-cluster-'));
  guardOrphans(directory);
  let controlPlane: ControlPlane | undefined;
  try {
    controlPlane = await startControlPlane({ programs, directory, ...features }, signal);
    const cluster = clusterOf(controlPlane, directory);
    const exists = (name: string): Promise<unknown> => cluster.api.get(`/api/v1/namespaces/${name}`);
    for (const name of SYSTEM_NAMESPACES) await eventually(() => exists(name), { timeoutMs: 10_000, signal });
    return cluster;
  } catch (error) {
    await controlPlane?.kill();
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

function clusterOf(controlPlane: ControlPlane, directory: string): Cluster {
  const { url, adminToken, certFile, keyFile } = controlPlane;
  const api = createApiClient({ url, caFile: certFile, token: adminToken });
  let kubeconfigs = 0;
  const writeKubeconfig: Cluster['writeKubeconfig'] = ({ token = adminToken, server = url } = {}) => {
    const file = path.join(directory, `kubeconfig-${kubeconfigs++}`);
    writeKubeconfigFile({ file, server, caFile: certFile, token });
    return file;
  };
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await controlPlane.kill();
    await api.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    url,
    caFile: certFile,
    certFile,
    keyFile,
    adminToken,
    auditLogFile: auditLogFileIn(directory),
    dataDir: directory,
    api,
    kubeconfigPath: writeKubeconfig(),
    writeKubeconfig,
    createServiceAccountToken: (request) => createServiceAccountToken(api, request),
    restartApiserver: ({ kill = false } = {}) => controlPlane.restartApiserver({ kill }),
    pids: () => controlPlane.pids(),
    stop: () => (stopped ??= stop()),
  };
}
