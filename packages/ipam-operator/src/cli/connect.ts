import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { createKubeClient, systemClock, systemRandom } from '@static-ip/kube';
import type { KubeClient } from '@static-ip/kube';
import type { CloudCall, Fence, StaticIpProvider } from '@static-ip/provider';
import { VERSION } from '@static-ip/shell';
import type { Terminal } from '@static-ip/shell';
import type { OperatorOptions } from '../app/options/options.ts';
import { loadProvider } from '../app/provider.ts';

/** Source: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ */
const OWN_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** The API server of the options. @throws KubeError `config` for a kubeconfig that cannot be used. */
export function connectKube({ kubeconfig }: OperatorOptions): KubeClient {
  return createKubeClient({
    kubeconfig,
    userAgent: `static-ip-ipam-operator/${VERSION}`,
    fieldManager: 'static-ip',
    clock: systemClock,
  });
}

/** What the connection to the cloud is made of, but for the right to change it. */
export interface CloudConnection {
  readonly options: OperatorOptions;
  readonly terminal: Pick<Terminal, 'environment' | 'workingDirectory'>;
  readonly onCall: (call: CloudCall) => void;
}

/** The provider of the options, on real time. @throws as loadProvider does. */
export function connectCloud({ options, terminal, onCall }: CloudConnection, fence: Fence): Promise<StaticIpProvider> {
  const ports = { clock: systemClock, random: systemRandom, fence, env: terminal.environment };
  return loadProvider(options.provider, { ...ports, rates: options.rates, onCall }, terminal);
}

/** Unique among replicas, and telling where they run. */
export function ownIdentity(): string {
  return `${hostname()}_${randomUUID().slice(0, 8)}`;
}

/** The namespace of the Lease: as told, or the pod's own; with a kubeconfig we are in no pod's place: `default`. */
export async function leaseNamespaceOf({ leaseNamespace, kubeconfig }: OperatorOptions): Promise<string> {
  if (leaseNamespace !== undefined) return leaseNamespace;
  if (kubeconfig !== undefined) return 'default';
  return (await readFile(OWN_NAMESPACE_FILE, 'utf8')).trim();
}
