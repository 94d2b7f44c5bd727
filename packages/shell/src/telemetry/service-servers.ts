import type { Health } from './health.ts';
import { healthRoutes, metricsRoutes, startServer } from './servers.ts';
import type { ExposedMetrics, ListenAddress, RunningServer, ServerOptions } from './servers.ts';

/** Where the two servers of a service listen. Undefined: not served. */
export interface ServiceAddresses {
  readonly metricsBindAddress: ListenAddress | undefined;
  readonly healthBindAddress: ListenAddress | undefined;
}

/** What they serve. */
export interface ServiceState {
  readonly metrics: ExposedMetrics;
  readonly health: Pick<Health, 'live' | 'ready'>;
}

/**
 * Serves metrics and health while `work` runs.
 * @throws ShellError `cannotListen` before the work starts; what the work throws.
 */
export async function whileServing(
  addresses: ServiceAddresses,
  state: ServiceState,
  work: () => Promise<void>,
): Promise<void> {
  const servers: RunningServer[] = [];
  try {
    for (const server of serversOf(addresses, state)) servers.push(await startServer(server));
    await work();
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

function serversOf(
  { metricsBindAddress, healthBindAddress }: ServiceAddresses,
  { metrics, health }: ServiceState,
): readonly ServerOptions[] {
  const all = [
    { name: 'metrics', option: '--metrics-bind-address', address: metricsBindAddress, routes: metricsRoutes(metrics) },
    { name: 'health', option: '--health-bind-address', address: healthBindAddress, routes: healthRoutes(health) },
  ];
  return all.flatMap(({ address, ...rest }) => (address === undefined ? [] : [{ ...rest, address }]));
}
