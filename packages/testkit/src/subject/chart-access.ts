import { installChart } from '../chart/install-chart.ts';
import type { ChartValues } from '../chart/helm.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import type { Cluster } from '../cluster/start-cluster.ts';

/** How the operator reaches the cluster. */
export interface OperatorAccess {
  readonly kubeconfig: string;
  /** Namespace in which it may keep its Lease. */
  readonly namespace: string;
  /** For people: whose rights these are. */
  readonly rights: string;
  /** All that the chart installed. */
  readonly objects: readonly KubeObject[];
}

const NAMESPACE = 'static-ip';

/**
 * A kubeconfig of exactly the service account that the chart installs, with exactly its rights, so that a missing right
 * shows. Without values those for CiliumNodes; Eips need `options.clusterName`.
 * @throws Error when the chart cannot be rendered; ApiError when the server refuses an object of it
 */
export async function installChartAccess(cluster: Cluster, values: ChartValues = {}): Promise<OperatorAccess> {
  const { kubeconfig, serviceAccount, objects } = await installChart({ cluster, namespace: NAMESPACE, values });
  return {
    kubeconfig,
    namespace: serviceAccount.namespace,
    rights: `service account ${serviceAccount.namespace}/${serviceAccount.name} of the chart`,
    objects,
  };
}
