import { systemClock } from '@static-ip/kube';
import type { StaticIpError } from '@static-ip/provider';
import { createLogger, printJson } from '@static-ip/shell';
import type { Output, Terminal } from '@static-ip/shell';
import { createFenceGate } from '../app/fence-gate.ts';
import type { OperatorOptions } from '../app/options/options.ts';
import { errorVerdict } from '../core/error-verdict.ts';
import { readStatus } from '../controllers/status/read-status.ts';
import { connectCloud, connectKube } from './connect.ts';
import { statusText } from './status-text.ts';

/** What is asked for beside the options. */
export interface StatusFlags {
  readonly output: Output;
  /** False: only the cluster is read. */
  readonly cloud: boolean;
}

/**
 * `ipam-operator status`: prints who has which address, who waits and why, and the use of each pool. Nothing is changed:
 * its fence never opens, so no mutating call can be sent. A cloud that cannot be read is left out with a warning.
 * Resolves to the exit code. @throws KubeError when the cluster cannot be read.
 */
export async function status(options: OperatorOptions, { output, cloud }: StatusFlags, terminal: Terminal): Promise<0> {
  const { logLevel: level, logFormat: format } = options;
  const logger = createLogger({ level, format, clock: systemClock, stream: terminal.stderr });
  const kube = connectKube(options);
  // For a person at a terminal: a line each, where a log would have stacks.
  const warn = (what: string, why: string): void => void terminal.stderr.write(`ipam-operator: ${what}: ${why}\n`);
  const onCall = (call: object): void => logger.debug('Called the cloud', { ...call });
  const deps = {
    options,
    kube,
    clock: systemClock,
    openProvider: cloud ? () => connectCloud({ options, terminal, onCall }, createFenceGate()) : undefined,
    onSkipped: (source: string, error: Error): void => warn(`${source} objects may not be read`, error.message),
    onCloudUnread: (error: StaticIpError): void =>
      warn('the cloud cannot be read, so this is what the cluster says', errorVerdict(error).message),
  };
  try {
    const { objects, pools } = await readStatus(deps, terminal.signal);
    if (output === 'json') printJson(terminal.stdout, 'Status', [...objects, ...(pools ?? [])]);
    else terminal.stdout.write(`${statusText({ objects, pools }, systemClock.now())}\n`);
    return 0;
  } finally {
    await kube.close();
  }
}
