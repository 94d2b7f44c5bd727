import { CLUSTER_NAME } from '@static-ip/testkit';
import type { ApiClient } from '@static-ip/testkit';

const NAME = 'eip-operator';
const AGENT = 'cilium-eip-no-masquerade-agent';
const namespace = 'default';

/** Installs what k8s-eip-operator and its agent run by, under the names of its README. */
export async function installPredecessor(api: Pick<ApiClient, 'create'>): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io/v1';
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace } },
    { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: NAME }, rules: [] },
    {
      apiVersion: rbac,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'eip-operator-viewer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace }],
    },
    workload('Deployment', NAME),
    workload('DaemonSet', AGENT),
  ];
  for (const object of objects) await api.create(object);
}

function workload(kind: 'Deployment' | 'DaemonSet', name: string) {
  const labels = { app: name };
  const env = [{ name: 'CLUSTER_NAME', value: CLUSTER_NAME }];
  const containers = [{ name: NAME, image: 'materialize/k8s-eip-operator:latest', env }];
  const template = { metadata: { labels }, spec: { serviceAccountName: NAME, containers } };
  const spec = { selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind, metadata: { name, namespace }, spec };
}
