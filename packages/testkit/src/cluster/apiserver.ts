import path from 'node:path';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

export interface ApiserverOptions {
  readonly program: string;
  readonly directory: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly tokenFile: string;
  readonly serviceAccountKeyFile: string;
  readonly extraArgs: readonly string[];
}

/** Where kube-apiserver puts the certificate it makes for itself; the file ends with the authority that signed it. */
export function servingCertificate(directory: string): { readonly certFile: string; readonly keyFile: string } {
  const folder = path.join(directory, 'certificates');
  return { certFile: path.join(folder, 'apiserver.crt'), keyFile: path.join(folder, 'apiserver.key') };
}

/**
 * Starts kube-apiserver on the loopback interface and waits for /readyz.
 * @throws ServerStartError when it ends, or is not ready within 60 s.
 */
export async function startApiserver(options: ApiserverOptions, signal: AbortSignal): Promise<ServerProcess> {
  const args = [
    '--bind-address=127.0.0.1',
    `--secure-port=${options.port}`,
    // Without one the server looks for the host's default route, and does not start on a machine that has none.
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--cert-dir=${path.join(options.directory, 'certificates')}`,
    `--etcd-servers=${options.etcdUrl}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${options.tokenFile}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${options.serviceAccountKeyFile}`,
    `--service-account-signing-key-file=${options.serviceAccountKeyFile}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--allow-privileged=true',
    // It asks for the "default" service account of the namespace, which kube-controller-manager would make.
    '--disable-admission-plugins=ServiceAccount',
    // The last connection of a stopping server is cut after this long instead of a minute.
    '--shutdown-delay-duration=0s',
    ...options.extraArgs,
  ];
  const isReady = readiness(`https://127.0.0.1:${options.port}/readyz`, servingCertificate(options.directory).certFile);
  const { program, directory } = options;
  return startServer({ name: 'kube-apiserver', program, args, directory, isReady, readyWithinMs: 60_000 }, signal);
}

function readiness(url: string, caFile: string): (signal: AbortSignal) => Promise<boolean> {
  return async (signal) => {
    try {
      const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) } });
      const { statusCode, body } = await request(url, { signal, dispatcher });
      await body.dump();
      await dispatcher.close();
      return statusCode === 200;
    } catch {
      // No certificate yet, or not listening yet.
      return false;
    }
  };
}
