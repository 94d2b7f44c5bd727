import process from 'node:process';
import { systemClock, systemRandom } from '@static-ip/kube';
import { createHealth, createLogger, formatTable, printJson, ShellError, VERSION } from '@static-ip/shell';
import type { Output, Terminal } from '@static-ip/shell';
import type { OperatorOptions } from '../app/options/options.ts';
import { runDrain } from '../app/run-drain.ts';
import type { DrainedObject } from '../controllers/drain/drained-object.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { NO_TRACER } from '../telemetry/tracer.ts';
import { connectCloud, connectKube, leaseNamespaceOf, ownIdentity } from './connect.ts';
import type { DrainFlags } from './drain-options.ts';
import { stopDeployment } from './stop-deployment.ts';

/** `drain` as it was asked for. */
export interface DrainCommand {
  readonly options: OperatorOptions;
  readonly flags: DrainFlags;
  readonly output: Output;
}

/**
 * `ipam-operator drain`: makes the cluster live without the operator. Resolves to the exit code: 0 when nothing of ours is
 * left on any object. @throws ShellError `badInput`; as runDrain does.
 */
export async function drain({ options, flags, output }: DrainCommand, terminal: Terminal): Promise<0 | 1> {
  if (flags.addresses === 'release' && options.clusterName === undefined) {
    throw new ShellError(
      'badInput',
      '--addresses release needs --cluster-name (environment CLUSTER_NAME), as the operator has it',
    );
  }
  const leaseNamespace = await leaseNamespaceFor(options, flags);
  const { logLevel: level, logFormat: format } = options;
  const logger = createLogger({ level, format, clock: systemClock, stream: terminal.stderr });
  const metrics = createMetrics({ version: VERSION, nodeVersion: process.versions.node, provider: options.provider });
  const kube = connectKube(options);
  try {
    if (flags.stopDeployment !== undefined) {
      logger.info('Stopping the operator', { ...flags.stopDeployment });
      await stopDeployment(kube, flags.stopDeployment, terminal.signal);
    }
    const ports = {
      kube,
      clock: systemClock,
      random: systemRandom,
      health: createHealth(),
      logger,
      metrics,
      tracer: NO_TRACER,
    };
    const openProvider = (fence: Parameters<typeof connectCloud>[1]): ReturnType<typeof connectCloud> =>
      connectCloud({ options, terminal, onCall: (call) => metrics.cloudCall(call) }, fence);
    const deps = { ...ports, options, openProvider, leaseNamespace, identity: ownIdentity() };
    const request = { addresses: flags.addresses, timeoutMs: flags.timeout };
    const drained = await runDrain(deps, request, terminal.signal);
    print(drained, output, terminal);
    return drained.every(({ isDone }) => isDone) ? 0 : 1;
  } finally {
    await kube.close();
  }
}

/** Without its name a Lease that nobody holds would be taken, and the drain would go on beside an operator that acts. */
function leaseNamespaceFor(options: OperatorOptions, { stopDeployment: stopped }: DrainFlags): Promise<string> {
  const leaseNamespace = options.leaseNamespace ?? stopped?.namespace;
  if (leaseNamespace === undefined && options.kubeconfig !== undefined) {
    throw new ShellError(
      'badInput',
      'drain with --kubeconfig needs --lease-namespace (environment LEASE_NAMESPACE), the namespace that the operator runs in: it must wait for the Lease that the operator holds, and no other. --stop-deployment <namespace/name> says it, too',
    );
  }
  return leaseNamespaceOf({ ...options, leaseNamespace });
}

function print(drained: readonly DrainedObject[], output: Output, { stdout }: Pick<Terminal, 'stdout'>): void {
  if (output === 'json') return printJson(stdout, 'Drain', drained);
  if (drained.length === 0) return void stdout.write('No object has anything of ours.\n');
  const rows = drained.map(({ kind, name, address, isDone, message }) => [
    `${kind}/${name}`,
    address ?? '-',
    isDone ? 'done' : 'LEFT',
    message,
  ]);
  stdout.write(`${formatTable(['OBJECT', 'ADDRESS', 'RESULT', 'MESSAGE'], rows)}\n`);
}
