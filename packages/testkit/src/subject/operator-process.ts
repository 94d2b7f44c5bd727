import { freePort } from '../cluster/free-port.ts';
import { startServer } from '../cluster/server-process.ts';
import type { ServerProcess } from '../cluster/server-process.ts';

export interface OperatorProcessOptions {
  readonly bundle: string;
  /** Flags besides those of the health endpoint. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Gets the log, `ipam-operator.log`. */
  readonly directory: string;
  readonly readyWithinMs?: number;
}

/**
 * Runs `ipam-operator run` and waits until its /readyz says so.
 * @throws ServerStartError with the end of its log when it ends or is not ready in time
 */
export async function startOperatorProcess(
  { bundle, flags, environment, directory, readyWithinMs = 20_000 }: OperatorProcessOptions,
  signal: AbortSignal,
): Promise<ServerProcess> {
  const healthAddress = `127.0.0.1:${await freePort()}`;
  const own = [`--health-bind-address=${healthAddress}`, '--metrics-bind-address=0'];
  return startServer(
    {
      name: 'ipam-operator',
      program: process.execPath,
      args: [bundle, 'run', ...own, ...flags],
      environment,
      directory,
      isReady: () => isReady(`http://${healthAddress}/readyz`),
      readyWithinMs,
    },
    signal,
  );
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    // Not listening yet.
    return false;
  }
}
