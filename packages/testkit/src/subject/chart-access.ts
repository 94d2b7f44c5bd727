import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { ensureAsset } from '../assets/ensure-asset.ts';
import type { ApiClient } from '../cluster/api.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import type { Cluster } from '../cluster/start-cluster.ts';

/** How the operator reaches the cluster. */
export interface OperatorAccess {
  readonly kubeconfig: string;
  /** Namespace in which it may keep its Lease. */
  readonly namespace: string;
  /** For people: whose rights these are. */
  readonly rights: string;
}

const CHART = fileURLToPath(new URL('../../../../charts/static-ip', import.meta.url));
const NAMESPACE = 'static-ip';
const RBAC_KINDS: ReadonlySet<string> = new Set([
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
]);
/** Longer than any run: the kubeconfig holds a token that nobody renews. */
const TOKEN_SECONDS = 12 * 3600;

/**
 * A kubeconfig of exactly the service account that the chart installs, with exactly its rights, so that a missing right
 * shows. Where there is no chart, the administrator's.
 * @throws Error when the chart cannot be rendered or installs no service account
 */
export async function installChartAccess(cluster: Cluster): Promise<OperatorAccess> {
  if (!existsSync(CHART)) {
    return { kubeconfig: cluster.kubeconfigPath, namespace: 'default', rights: 'administrator (no chart found)' };
  }
  const objects = (await renderChart()).filter(({ kind }) => RBAC_KINDS.has(kind));
  const account = objects.find(({ kind }) => kind === 'ServiceAccount')?.metadata.name;
  if (account === undefined) throw new Error('the chart renders no ServiceAccount');
  await ensureNamespace(cluster.api);
  for (const object of objects) await cluster.api.patch(object, object, { type: 'apply' });
  const token = await cluster.createServiceAccountToken({
    namespace: NAMESPACE,
    name: account,
    expirationSeconds: TOKEN_SECONDS,
  });
  return {
    kubeconfig: cluster.writeKubeconfig({ token }),
    namespace: NAMESPACE,
    rights: `service account ${NAMESPACE}/${account} of the chart`,
  };
}

async function renderChart(): Promise<readonly KubeObject[]> {
  const helm = await ensureAsset('helm');
  const { stdout } = await promisify(execFile)(helm, ['template', 'static-ip', CHART, '--namespace', NAMESPACE]);
  return parseAllDocuments(stdout).flatMap((document) => {
    const object: KubeObject | null = document.toJS();
    if (object === null) return [];
    // helm leaves out the namespace where a template relies on that of the release.
    const isNamespaced = !object.kind.startsWith('Cluster');
    return [isNamespaced ? { ...object, metadata: { namespace: NAMESPACE, ...object.metadata } } : object];
  });
}

async function ensureNamespace(api: ApiClient): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  if ((await api.find(namespace)) === undefined) await api.create(namespace);
}
