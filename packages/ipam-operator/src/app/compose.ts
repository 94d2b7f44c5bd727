import { createLeaseElection, isKubeError } from '@static-ip/kube';
import type { KubeClient, KubeError, LeaseElection } from '@static-ip/kube';
import type { Clock, Fence, Random, StaticIpProvider } from '@static-ip/provider';
import type { Health, Logger } from '@static-ip/shell';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import { waitWithDeadline } from './wait-with-deadline.ts';
import { createFenceGate } from './fence-gate.ts';
import type { OperatorOptions } from './options/options.ts';

/** What the controllers are given. They run only while this replica leads. */
export interface ControllerDeps {
  readonly options: OperatorOptions;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** Where they add their checks; each is taken back when they stop. */
  readonly health: Health;
  readonly kube: KubeClient;
  readonly provider: StaticIpProvider;
  readonly clock: Clock;
  readonly random: Random;
  /** Who we are in Events and the Lease. */
  readonly identity: string;
}

/** Runs all controllers until the signal aborts. */
type RunControllers = (deps: ControllerDeps, signal: AbortSignal) => Promise<void>;

/** All that the operator needs from outside: a simulation gives its own of each. */
export interface OperatorDeps extends Omit<ControllerDeps, 'provider'> {
  /** Makes the provider, which asks the fence before each mutating call. */
  readonly openProvider: (fence: Fence) => Promise<StaticIpProvider>;
  readonly runControllers: RunControllers;
  readonly leaseNamespace: string;
  /** Told each time that the Lease could not be read or written. */
  readonly onLeaseError?: ((error: unknown) => void) | undefined;
}

/** How long work under way may take to end after a stop; Kubernetes kills after 30 s. */
const DRAIN_MS = 10_000;

/**
 * The operator from options to controllers: waits for the lease, runs the controllers under it, gives it up. Resolves
 * when the signal has aborted and all is over.
 * @throws KubeError `notLeading` when the lease was lost, `config` when the kubeconfig cannot be used; what the controllers
 *   or the provider threw.
 */
export async function runOperator(deps: OperatorDeps, signal: AbortSignal): Promise<void> {
  const { logger, metrics, health, clock } = deps;
  const gate = createFenceGate();
  const provider = await deps.openProvider(gate);
  const hopeless = new AbortController();
  const election = createElection(deps, (error) => hopeless.abort(error));
  health.addReady('lease', election.check);
  metrics.leading(false);

  const lead = async (leading: AbortSignal, fence: Fence): Promise<void> => {
    const close = gate.open(fence);
    metrics.leading(true);
    try {
      const work = endQuietly(deps.runControllers({ ...deps, provider }, leading), leading);
      const onLate = (): void => logger.warn('Leaving work behind that did not stop in time', { deadlineMs: DRAIN_MS });
      await waitWithDeadline(work, leading, { clock, deadlineMs: DRAIN_MS, onLate });
    } finally {
      close();
      metrics.leading(false);
    }
  };
  await election.run(lead, AbortSignal.any([signal, hopeless.signal]));
  hopeless.signal.throwIfAborted();
}

/** Work that ends because it was told to has not failed. */
async function endQuietly(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  }
}

interface CheckedElection extends Pick<LeaseElection, 'run'> {
  readonly check: () =>
    { readonly ok: true; readonly detail: string } | { readonly ok: false; readonly reason: string };
}

/** A replica that stands by is ready: it could take over. One that never got to read the Lease is not. */
function createElection(deps: OperatorDeps, onHopeless: (error: KubeError) => void): CheckedElection {
  const { logger, kube, clock, random, identity, options, leaseNamespace } = deps;
  let failure = 'the Lease has not been read yet';
  const election = createLeaseElection({
    client: kube,
    namespace: leaseNamespace,
    name: options.leaseName,
    identity,
    clock,
    random,
    leaseDurationMs: options.leaseDurationMs,
    hooks: {
      onAcquired: () => logger.info('Leading', { identity }),
      onLost: (reason) => logger.error('Lost the lease', { reason }),
      onHolder: (holder) => logger.info('Standing by', { holder }),
      onError: (err) => {
        // The kubeconfig will not get better by waiting.
        if (isKubeError(err, 'config')) return onHopeless(err);
        failure = err instanceof Error ? err.message : String(err);
        deps.onLeaseError?.(err);
        logger.warn('Cannot use the Lease, trying again', { namespace: leaseNamespace, lease: options.leaseName, err });
      },
    },
  });
  const check: CheckedElection['check'] = () => {
    if (election.isLeading()) return { ok: true, detail: 'leading' };
    if (election.holder() !== '') return { ok: true, detail: `standing by for ${election.holder()}` };
    return { ok: false, reason: failure };
  };
  return { run: election.run.bind(election), check };
}
