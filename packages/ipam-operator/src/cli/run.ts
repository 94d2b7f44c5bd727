import process from 'node:process';
import { countRequests, systemClock, systemRandom } from '@static-ip/kube';
import type { CloudCall, Fence, StaticIpProvider } from '@static-ip/provider';
import { createHealth, runService, VERSION, whileServing } from '@static-ip/shell';
import type { Logger, Terminal } from '@static-ip/shell';
import { runOperator } from '../app/compose.ts';
import { INPUT_ERRORS } from '../app/operator-error.ts';
import type { OperatorOptions } from '../app/options/options.ts';
import { runControllers } from '../controllers/run-controllers.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { openTracer } from '../telemetry/open-tracer.ts';
import { connectCloud, connectKube, leaseNamespaceOf, ownIdentity } from './connect.ts';
import type { CloudConnection } from './connect.ts';

/** `ipam-operator run`: until the terminal's signal aborts. Resolves to the exit code; what ended it is in the log. */
export function run(options: OperatorOptions, terminal: Terminal): Promise<0 | 1 | 2> {
  const serveWith = (logger: Logger): Promise<void> => serve(options, terminal, logger);
  return runService({ options, terminal, clock: systemClock, inputErrors: INPUT_ERRORS, serve: serveWith });
}

async function serve(options: OperatorOptions, terminal: Terminal, logger: Logger): Promise<void> {
  const metrics = createMetrics({
    version: VERSION,
    nodeVersion: process.versions.node,
    provider: options.provider,
  });
  const health = createHealth();
  const identity = ownIdentity();
  const program = { version: VERSION, identity, clusterName: options.clusterName };
  const tracer = await openTracer(options.traces, { clock: systemClock, logger, program });
  const kube = countRequests(connectKube(options), { metrics, clock: systemClock });
  const deps = {
    options,
    logger,
    metrics,
    tracer,
    health,
    kube,
    clock: systemClock,
    random: systemRandom,
    runControllers,
  };
  const onCall = (call: CloudCall): void => {
    metrics.cloudCall(call);
    tracer.cloudCall(call);
  };
  try {
    await whileServing(options, { metrics, health }, async () => {
      const cloud: CloudConnection = { options, terminal, onCall };
      const openProvider = (fence: Fence): Promise<StaticIpProvider> => connectCloud(cloud, fence);
      const leaseNamespace = await leaseNamespaceOf(options);
      await runOperator({ ...deps, openProvider, leaseNamespace, identity }, terminal.signal);
    });
  } finally {
    await Promise.all([kube.close(), tracer.close()]);
  }
}
