import { systemClock } from '@static-ip/kube';
import { createLogger, formatTable, printJson } from '@static-ip/shell';
import type { Output, Terminal } from '@static-ip/shell';
import type { OperatorOptions } from '../app/options/options.ts';
import { createFenceGate } from '../app/fence-gate.ts';
import { planClaims } from '../controllers/plan-claims.ts';
import type { PlannedClaim } from '../controllers/planned-claim.ts';
import { connectCloud, connectKube } from './connect.ts';

/**
 * `ipam-operator plan`: prints what `run` would do next for every object, and why not. Nothing is changed: its fence
 * never opens, so no mutating call can be sent. Resolves to the exit code.
 * @throws KubeError or StaticIpError when the cluster or the cloud cannot be read.
 */
export async function plan(options: OperatorOptions, output: Output, terminal: Terminal): Promise<0> {
  const { logLevel: level, logFormat: format } = options;
  const logger = createLogger({ level, format, clock: systemClock, stream: terminal.stderr });
  const kube = connectKube(options);
  try {
    const onCall = (call: object): void => logger.debug('Called the cloud', { ...call });
    const provider = await connectCloud({ options, terminal, onCall }, createFenceGate());
    const onSkipped = (source: string, err: unknown): void => {
      logger.warn('Leaving out a source that may not be read', { source, err });
    };
    const deps = { options, kube, provider, clock: systemClock, onSkipped };
    const claims = await planClaims(deps, terminal.signal);
    if (output === 'json') printJson(terminal.stdout, 'Plan', claims);
    else terminal.stdout.write(`${describe(claims)}\n`);
    return 0;
  } finally {
    await kube.close();
  }
}

function describe(claims: readonly PlannedClaim[]): string {
  if (claims.length === 0) return 'No object asks for an address.';
  const rows = claims.map((claim) => [
    `${claim.kind}/${claim.name}`,
    claim.wants ?? '-',
    claim.holds ?? '-',
    claim.action,
    claim.address ?? '-',
    claim.reason,
    claim.message,
  ]);
  return formatTable(['OBJECT', 'WANTS', 'HOLDS', 'ACTION', 'ADDRESS', 'REASON', 'MESSAGE'], rows);
}
