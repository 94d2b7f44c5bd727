import type { ApiClient } from '../cluster/api.ts';
import { eventually } from '../cluster/eventually.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import { removeAll } from '../cluster/remove-all.ts';

const COLLECTIONS = ['/apis/cilium.io/v2/ciliumnodes', '/api/v1/nodes', '/api/v1/namespaces/default/events'];

/** What lives in namespaces and may be held by finalizers. */
const PODS = '/api/v1/pods';
const EIPS = '/apis/materialize.cloud/v2/eips';

/**
 * Deletes all pods, Eips where they are served, nodes, CiliumNodes, Events and Leases of operators: the state of a fresh
 * cluster.
 */
export async function clearCluster(api: ApiClient, { hasEips }: { readonly hasEips: boolean }): Promise<void> {
  await removeAll(api, PODS, (namespace, name) => `/api/v1/namespaces/${namespace}/pods/${name}`);
  if (hasEips) {
    await removeAll(api, EIPS, (namespace, name) => `/apis/materialize.cloud/v2/namespaces/${namespace}/eips/${name}`);
  }
  for (const collection of COLLECTIONS) await api.delete(collection);
  await freeLeases(api);
  await eventually(
    async () => {
      for (const collection of COLLECTIONS) {
        const left = await api.list(collection, { limit: '1' });
        if (left.length > 0) throw new Error(`${collection} is not empty: a finalizer holds something`);
      }
    },
    { timeoutMs: 30_000, intervalMs: 100 },
  );
}

/** Deletes every Lease but the API server's own: nobody has to wait for a leader that has gone. */
export async function freeLeases(api: ApiClient): Promise<void> {
  for (const { metadata } of await api.list<KubeObject>('/apis/coordination.k8s.io/v1/leases')) {
    if (metadata.labels?.['apiserver.kubernetes.io/identity'] !== undefined) continue;
    await api.delete(`/apis/coordination.k8s.io/v1/namespaces/${metadata.namespace}/leases/${metadata.name}`);
  }
}
