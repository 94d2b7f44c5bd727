import process from 'node:process';
import { countRequests, systemClock, systemRandom } from '@static-ip/kube';
import { createHealth, runService, VERSION, whileServing } from '@static-ip/shell';
import type { Logger, Terminal } from '@static-ip/shell';
import { connectKube, INPUT_ERRORS } from '../app/connect.ts';
import type { AgentOptions } from '../app/options.ts';
import { runAgent } from '../app/run-agent.ts';
import { createAgentMetrics } from '../telemetry/metrics.ts';

/** The jobs of the options, until the terminal's signal aborts. Resolves to the exit code; what ended it is in the log. */
export function run(options: AgentOptions, terminal: Terminal): Promise<0 | 1 | 2> {
  const serveWith = (logger: Logger): Promise<void> => serve(options, terminal.signal, logger);
  return runService({ options, terminal, clock: systemClock, inputErrors: INPUT_ERRORS, serve: serveWith });
}

async function serve(options: AgentOptions, signal: AbortSignal, logger: Logger): Promise<void> {
  const metrics = createAgentMetrics({ version: VERSION, nodeVersion: process.versions.node });
  const health = createHealth();
  const kube = countRequests(connectKube(options), { metrics, clock: systemClock });
  const ports = { options, logger, metrics, health, kube, clock: systemClock, random: systemRandom };
  try {
    await whileServing(options, { metrics, health }, () => runAgent(ports, signal));
  } finally {
    await kube.close();
  }
}
