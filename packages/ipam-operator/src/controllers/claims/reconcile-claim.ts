import { toStaticIpError } from '@static-ip/provider';
import type { Clock, StaticIpProvider } from '@static-ip/provider';
import { queueName } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';
import { errorVerdict } from '../../core/error-verdict.ts';
import { planClaim } from '../../core/plan-claim.ts';
import { KEEP } from '../../core/plan.ts';
import type { Plan, Step, Verdict } from '../../core/plan.ts';
import { applyStep } from './apply-step.ts';
import type { ClaimHooks } from './claim-hooks.ts';
import { gatherFacts, readNeeded } from './gather-facts.ts';
import type { Acting, GatherDeps } from './gather-facts.ts';
import type { Lanes } from './lanes.ts';

/** One run may take so long before it lets other claims have the worker, ms. */
const RUN_BUDGET_MS = 20_000;

export interface ReconcileDeps extends GatherDeps {
  readonly provider: Pick<StaticIpProvider, 'attach' | 'detach' | 'allocate' | 'release' | 'mark'>;
  readonly clock: Clock;
  readonly hooks: Pick<ClaimHooks, 'onStep' | 'onFailure'>;
  /** Monotonic ms of the last resync. */
  readonly epoch: () => number;
  /** Makes the objects safe for the step. True: plan again. */
  readonly prepare: (claim: Claim, step: Step, signal: AbortSignal) => Promise<boolean>;
  /** Writes the verdict down, so that it is in the claim from now on. */
  readonly record: (claim: Claim, verdict: Verdict, signal: AbortSignal) => Promise<void>;
  readonly visibilityWindowMs: number;
  readonly acting: Acting;
  readonly lanes: Pick<Lanes, 'enter' | 'leave'>;
  readonly isBusy: () => boolean;
  /** Called after an address came free by our own doing. */
  readonly onFreed: () => void;
}

/** How a claim stands after a run. */
export interface Reconciled {
  /** The claim that was planned; by now there may be a newer form of it. */
  readonly claim: Claim;
  readonly verdict: Verdict;
  /** The verdict follows from what was read; otherwise a call has failed or goes on, and proves nothing. */
  readonly isProved: boolean;
}

/**
 * gather → plan → apply, over and over until the plan is at rest: each step is planned from the world as it is after
 * the one before. Undefined: the claim is gone. @throws only when aborted.
 */
export async function reconcileClaim(
  key: string,
  deps: ReconcileDeps,
  signal: AbortSignal,
): Promise<Reconciled | undefined> {
  const deadline = deps.clock.monotonic() + RUN_BUDGET_MS;
  // What happens meanwhile is the next run's: otherwise a run that waits for a read could wait for ever.
  const [epoch, hopefulSince] = [deps.epoch(), deps.registry.hopefulSince(key)];
  let since = deps.clock.monotonic();
  for (;;) {
    const claim = deps.registry.get(key);
    if (claim === undefined) return undefined;
    const now = deps.clock.monotonic();
    if (now >= deadline) return { claim, verdict: confirming(), isProved: false };
    const plan = planClaim(gatherFacts(claim, { now, epoch, since, hopefulSince }, deps));
    const verdict = await follow(claim, plan, { ...deps, signal });
    if (verdict !== undefined) return { claim, verdict, isProved: plan.kind === 'rest' };
    if (plan.kind === 'step') since = deps.clock.monotonic();
  }
}

/** Does what the plan says. Undefined: plan again. */
async function follow(
  claim: Claim,
  plan: Plan,
  deps: ReconcileDeps & { readonly signal: AbortSignal },
): Promise<Verdict | undefined> {
  switch (plan.kind) {
    case 'rest':
      return plan.verdict;
    case 'read':
      try {
        await readNeeded(claim, plan.need, deps);
        return undefined;
      } catch (error) {
        deps.signal.throwIfAborted();
        return failure(claim, { error, onFailure: plan.onFailure ?? KEEP }, deps);
      }
    case 'record':
      await deps.record(claim, plan.verdict, deps.signal);
      return undefined;
    case 'step':
      return take(claim, plan, deps);
  }
}

async function take(
  claim: Claim,
  { step, onFailure }: Extract<Plan, { kind: 'step' }>,
  deps: ReconcileDeps & { readonly signal: AbortSignal },
): Promise<Verdict | undefined> {
  if (await deps.prepare(claim, step, deps.signal)) return undefined;
  if (!deps.lanes.enter(step.do, claim)) return itsTurnLater(claim, step);
  const result = await inLane(step.do, deps, () => {
    deps.hooks.onStep(claim, step);
    // What it takes is reserved: counted in the queue as well, it would keep two addresses from those behind.
    deps.registry.stand(claim.key, undefined);
    return applyStep(claim, step, deps);
  });
  if (result.kind === 'again') return inProgress(result.afterMs);
  // What the step was planned on may be wrong: an interface can lose a private address between a read and a call.
  if (result.kind === 'failed' && claim.target !== undefined) deps.reads.forget(claim.target);
  if (result.kind === 'failed') return failure(claim, { error: result.error, onFailure }, deps);
  if (step.do === 'detach') deps.onFreed();
  return undefined;
}

async function inLane<T>(
  kind: Step['do'],
  { acting, lanes }: Pick<ReconcileDeps, 'acting' | 'lanes'>,
  act: () => Promise<T>,
): Promise<T> {
  acting.count += 1;
  try {
    return await act();
  } finally {
    acting.count -= 1;
    lanes.leave(kind);
  }
}

/** Until then it stands in the queue for what it would take: nobody younger may have it. */
function itsTurnLater({ wanted }: Claim, step: Step): Verdict {
  const isChoice = step.do === 'attach' && wanted.kind === 'select';
  const queue = isChoice ? queueName(wanted.selection, step.target.location) : undefined;
  const message = 'Waiting for its turn to call the cloud';
  return { reason: 'InProgress', message, status: KEEP, recheck: { kind: 'turn' }, queue };
}

/** A failed call proves nothing; what the reads before it proved is in `onFailure`. */
function failure(
  claim: Claim,
  { error, onFailure }: { readonly error: unknown; readonly onFailure: Verdict['status'] },
  { hooks }: ReconcileDeps,
): Verdict {
  const cause = toStaticIpError(error);
  hooks.onFailure(claim, cause);
  return errorVerdict(cause, cause.code === 'unknown' ? KEEP : onFailure);
}

function inProgress(afterMs: number): Verdict {
  const message = 'The cloud is working on it';
  return { reason: 'InProgress', message, status: KEEP, recheck: { kind: 'after', ms: afterMs } };
}

function confirming(): Verdict {
  const message = 'Attached, waiting for the cloud to show it';
  return { reason: 'Confirming', message, status: KEEP, recheck: { kind: 'after', ms: 1_000 } };
}
