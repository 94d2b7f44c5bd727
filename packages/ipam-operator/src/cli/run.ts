import { systemClock, systemRandom } from '@static-ip/kube';
import type { Fence, StaticIpProvider } from '@static-ip/provider';
import { runOperator } from '../app/compose.ts';
import { exitCodeOf } from '../app/operator-error.ts';
import type { OperatorOptions } from '../app/options/options.ts';
import { VERSION } from '../app/version.ts';
import { runControllers } from '../controllers/run-controllers.ts';
import { countRequests } from '../telemetry/count-requests.ts';
import { createHealth } from '../telemetry/health.ts';
import type { Health } from '../telemetry/health.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { healthRoutes, metricsRoutes, startServer } from '../telemetry/servers.ts';
import type { RunningServer, ServerOptions } from '../telemetry/servers.ts';
import { connectCloud, connectKube, leaseNamespaceOf, ownIdentity } from './connect.ts';
import type { CloudConnection } from './connect.ts';
import type { Terminal } from './terminal.ts';

/** `ipam-operator run`: until the terminal's signal aborts. Resolves to the exit code; what ended it is in the log. */
export async function run(options: OperatorOptions, terminal: Terminal): Promise<0 | 1 | 2> {
  const { logLevel: level, logFormat: format } = options;
  const logger = createLogger({ level, format, clock: systemClock, stream: terminal.stderr });
  terminal.onCrash((err) => logger.error('Stopping after a failure that nobody caught', { err }));
  logger.info('Starting', { version: VERSION, node: process.versions.node, options });
  try {
    await serve(options, terminal, logger);
    logger.info('Stopped');
    return 0;
  } catch (err) {
    logger.error('Stopping after a failure', { err });
    return exitCodeOf(err);
  }
}

async function serve(options: OperatorOptions, terminal: Terminal, logger: Logger): Promise<void> {
  const metrics = createMetrics({
    version: VERSION,
    nodeVersion: process.versions.node,
    provider: options.provider,
  });
  const health = createHealth();
  const kube = countRequests(connectKube(options), { metrics, clock: systemClock });
  const deps = { options, logger, metrics, health, kube, clock: systemClock, random: systemRandom, runControllers };
  const servers: RunningServer[] = [];
  try {
    for (const server of serversOf(options, metrics, health)) servers.push(await startServer(server));
    const cloud: CloudConnection = { options, terminal, onCall: (call) => metrics.cloudCall(call) };
    const openProvider = (fence: Fence): Promise<StaticIpProvider> => connectCloud(cloud, fence);
    const leaseNamespace = await leaseNamespaceOf(options);
    await runOperator({ ...deps, openProvider, leaseNamespace, identity: ownIdentity() }, terminal.signal);
  } finally {
    await Promise.all([...servers.map((server) => server.close()), kube.close()]);
  }
}

function serversOf(options: OperatorOptions, metrics: Metrics, health: Health): readonly ServerOptions[] {
  const { metricsBindAddress, healthBindAddress } = options;
  const all = [
    { name: 'metrics', option: '--metrics-bind-address', address: metricsBindAddress, routes: metricsRoutes(metrics) },
    { name: 'health', option: '--health-bind-address', address: healthBindAddress, routes: healthRoutes(health) },
  ];
  return all.flatMap(({ address, ...rest }) => (address === undefined ? [] : [{ ...rest, address }]));
}
