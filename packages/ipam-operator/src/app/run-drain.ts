import { StaticIpError } from '@static-ip/provider';
import type { StaticIpProvider } from '@static-ip/provider';
import { drain } from '../controllers/drain/drain.ts';
import type { DrainRequest } from '../controllers/drain/drain.ts';
import type { DrainedObject } from '../controllers/drain/drained-object.ts';
import { runOperator } from './compose.ts';
import type { OperatorDeps } from './compose.ts';
import { OperatorError } from './operator-error.ts';

/** What a drain needs from outside: as the operator, but for the controllers, which are its own. */
export type DrainDeps = Omit<OperatorDeps, 'runControllers' | 'onLeaseError'>;

export interface TimedDrain extends Pick<DrainRequest, 'addresses'> {
  /** All of it may take so long, the waiting for the lease included. */
  readonly timeoutMs: number;
}

/**
 * Takes the lease, as an operator that begins to lead does, and drains under it: no operator acts meanwhile, as long as one
 * is stopped for good. @throws OperatorError `notDrained` when the lease is not to be had in time or the signal aborts; as
 * `runOperator` and `drain` do.
 */
export async function runDrain(
  deps: DrainDeps,
  { addresses, timeoutMs }: TimedDrain,
  signal: AbortSignal,
): Promise<readonly DrainedObject[]> {
  const { clock, options, leaseNamespace } = deps;
  const untilMs = clock.monotonic() + timeoutMs;
  const begun = new AbortController();
  const late = new AbortController();
  let leaseError: unknown;
  const onLeaseError = (error: unknown): void => {
    leaseError = error;
  };
  let drained: readonly DrainedObject[] | undefined;
  void clock.sleep(timeoutMs, begun.signal).then(
    () => late.abort(),
    () => undefined, // It has begun.
  );
  const runControllers: OperatorDeps['runControllers'] = async (controllerDeps, leading) => {
    begun.abort();
    drained = await drain(controllerDeps, { addresses, untilMs }, leading);
  };
  const openProvider = addresses === 'keep' ? () => Promise.resolve(NO_CLOUD) : deps.openProvider;
  try {
    await runOperator({ ...deps, openProvider, runControllers, onLeaseError }, AbortSignal.any([signal, late.signal]));
  } finally {
    begun.abort();
  }
  if (drained !== undefined) return drained;
  const lease = `${leaseNamespace}/${options.leaseName}`;
  if (late.signal.aborted) throw withoutLease(lease, leaseError, deps);
  const message = 'stopped before all was drained: run it again, it goes on from there';
  throw new OperatorError('notDrained', message, { fields: { lease } });
}

/** Why the lease was not to be had: an operator has it, or it could not be used; after both, both are told. */
function withoutLease(lease: string, cause: unknown, { health }: Pick<DrainDeps, 'health'>): OperatorError {
  const { ok: isHeld, detail = '' } = health.ready().checks.find(({ name }) => name === 'lease') ?? { ok: false };
  if (isHeld && cause === undefined) {
    const message = `an operator still holds the lease ${lease}: stop it first, for example with --stop-deployment, and drain again`;
    return new OperatorError('notDrained', message, { fields: { lease } });
  }
  const known = isHeld || cause === undefined ? `: ${detail}` : '';
  const message = `the lease ${lease} was not to be had in time${known}`;
  return new OperatorError('notDrained', message, { fields: { lease }, ...(cause !== undefined && { cause }) });
}

/** Addresses that stay need no cloud, and no rights to one. */
const NO_CLOUD: StaticIpProvider = {
  name: 'none',
  capabilities: {
    podTargets: false,
    atomicSwap: false,
    createsFromPool: false,
    allocation: false,
    quota: false,
    routes: false,
  },
  listAddresses: refuse,
  resolveTargets: refuse,
  attach: refuse,
  detach: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(new StaticIpError('unsupported', 'there is no cloud to call'));
}
