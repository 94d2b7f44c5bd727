import { stringify } from 'yaml';
import type { Cluster } from '../cluster/start-cluster.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import type { ChartValues } from './helm.ts';
import { deploymentOf, renderChart } from './render-chart.ts';

export interface InstallChartOptions {
  readonly cluster: Cluster;
  readonly values?: ChartValues;
  /** Default `static-ip`. */
  readonly release?: string;
  /** Created if missing. Default `kube-system`. */
  readonly namespace?: string;
}

/** A release on a test's cluster, and what it takes to run its operator outside of a pod. */
export interface InstalledChart {
  /** Token of the service account, for a kubeconfig of another server, such as a proxy. */
  readonly token: string;
  /** Kubeconfig of exactly the chart's service account: an operator that uses it has the chart's rights and no others. */
  readonly kubeconfig: string;
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  /** The container's arguments, such as `run --resync-interval=60s`. */
  readonly args: readonly string[];
  /** The container's environment, without variables that refer to other objects. */
  readonly environment: Readonly<Record<string, string>>;
  readonly objects: readonly KubeObject[];
}

/** Longer than any run: nobody renews the token. */
const TOKEN_SECONDS = 12 * 3_600;

/**
 * Renders the chart with the real helm and applies all of it. Nothing starts by itself, as the cluster runs no controllers
 * and no kubelets: the test runs the operator's program with `args` and `kubeconfig`.
 * @throws Error with helm's words; ApiError when the server refuses an object.
 */
export async function installChart(options: InstallChartOptions): Promise<InstalledChart> {
  const { cluster, values = {}, release = 'static-ip', namespace = 'kube-system' } = options;
  const objects = await renderChart({ values, release, namespace });
  await cluster.api.applyYaml(stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  for (const object of objects) await cluster.api.applyYaml(stringify(object));

  const { serviceAccountName, containers } = deploymentOf(objects).spec.template.spec;
  const serviceAccount = { namespace, name: serviceAccountName };
  const token = await cluster.createServiceAccountToken({ ...serviceAccount, expirationSeconds: TOKEN_SECONDS });
  const variables = containers[0].env ?? [];
  return {
    token,
    kubeconfig: cluster.writeKubeconfig({ token }),
    serviceAccount,
    args: containers[0].args,
    environment: Object.fromEntries(
      variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    ),
    objects,
  };
}
