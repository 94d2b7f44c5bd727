import type { Clock, StaticIpProvider } from '@static-ip/provider';
import { compareClaims } from '../core/claim.ts';
import type { Claim } from '../core/claim.ts';
import { planClaim } from '../core/plan-claim.ts';
import type { Plan } from '../core/plan.ts';
import { createClaimRegistry } from './claims/claim-registry.ts';
import { createCloudReads } from './claims/cloud-reads.ts';
import { gatherFacts, readNeeded } from './claims/gather-facts.ts';
import type { Acting, GatherDeps } from './claims/gather-facts.ts';
import { createHolds } from './claims/holds.ts';
import { describePlan } from './planned-claim.ts';
import type { PlannedClaim } from './planned-claim.ts';
import { readClaims } from './read-claims.ts';
import type { ReadClaimsDeps } from './read-claims.ts';

export interface PlanDeps extends Omit<ReadClaimsDeps, 'now'> {
  /** Only read from. */
  readonly provider: Pick<StaticIpProvider, 'listAddresses' | 'resolveTargets' | 'capabilities'>;
  readonly clock: Clock;
}

/**
 * Plans every claim once, oldest first, with the planner that `run` uses; what one would take is not offered to the next.
 * Nothing is changed anywhere. @throws KubeError or StaticIpError when the cluster or the cloud cannot be read.
 */
export async function planClaims(deps: PlanDeps, signal: AbortSignal): Promise<readonly PlannedClaim[]> {
  const { provider, clock, options } = deps;
  const registry = createClaimRegistry();
  const holds = createHolds();
  for (const claim of await readClaims({ ...deps, now: clock.now() }, signal)) {
    registry.put(claim, clock.monotonic());
    const { assignedId: id, assignedIp: ip } = claim;
    if (claim.wanted.kind === 'own' && id !== undefined && ip !== undefined) holds.keep(claim.key, { id, ip });
  }
  const claims = registry.all().toSorted(compareClaims);
  const reads = createCloudReads({
    provider,
    clock,
    upcoming: (isStale) => claims.flatMap(({ target }) => (target !== undefined && isStale(target) ? [target] : [])),
    onListing: () => undefined,
  });
  const rules = { atomicSwap: provider.capabilities.atomicSwap, visibilityWindowMs: options.visibilityWindowMs };
  // Reads that began since then are new enough: each is made once.
  const epoch = clock.monotonic();
  const parts = {
    registry,
    reads,
    holds,
    rules,
    epoch,
    startedAt: -Infinity,
    acting: { count: 0 },
    isBusy: () => false,
    clock,
    signal,
  };
  const planned: PlannedClaim[] = [];
  for (const claim of claims) planned.push(describePlan(claim, await planOne(claim, parts)));
  return planned;
}

interface PlanOneDeps extends GatherDeps {
  /** Monotonic ms before which no read may have begun. */
  readonly epoch: number;
  readonly acting: Acting;
  readonly isBusy: () => boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The first plan that is not a wish for facts. */
async function planOne(claim: Claim, deps: PlanOneDeps): Promise<Exclude<Plan, { kind: 'read' }>> {
  for (;;) {
    const plan = planClaim(
      gatherFacts(
        claim,
        { now: deps.clock.monotonic(), epoch: deps.epoch, since: deps.epoch, hopefulSince: deps.epoch },
        deps,
      ),
    );
    if (plan.kind === 'read') {
      await readNeeded(claim, plan.need, deps);
      continue;
    }
    reserve(claim, plan, deps);
    return plan;
  }
}

function reserve(claim: Claim, plan: Plan, { registry, holds }: PlanOneDeps): void {
  if (plan.kind === 'rest') registry.stand(claim.key, plan.verdict.queue);
  if (plan.kind === 'record' && plan.verdict.status.kind === 'own') holds.keep(claim.key, plan.verdict.status.address);
  if (plan.kind !== 'step' || plan.step.do !== 'attach') return;
  const [first] = plan.step.candidates;
  if (first !== undefined) holds.reserve(claim.key, first);
}
