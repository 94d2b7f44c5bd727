import type { Clock, Listing, Resolution, Selection, StaticIpProvider, TargetRef } from '@static-ip/provider';
import type { Claim } from '../core/claim.ts';
import { planClaim } from '../core/plan-claim.ts';
import type { Plan } from '../core/plan.ts';
import { createClaimRegistry } from './claims/claim-registry.ts';
import { createCloudReads } from './claims/cloud-reads.ts';
import { gatherFacts, readNeeded } from './claims/gather-facts.ts';
import type { GatherDeps } from './claims/gather-facts.ts';
import { createHolds } from './claims/holds.ts';

/** A plan that needs no more facts. */
export type SettledPlan = Exclude<Plan, { kind: 'read' }>;

/** One look at the cloud for many claims: each thing is read once, and nothing is changed. */
export interface Planning {
  /** What `run` would do next for the claim. What it would take is not offered to those that are planned after it. */
  planOf(claim: Claim): Promise<SettledPlan>;
  listing(selection: Selection): Promise<Listing | undefined>;
  resolution(ref: TargetRef): Promise<Resolution | undefined>;
}

export interface PlanningDeps {
  /** Only read from. */
  readonly provider: Pick<StaticIpProvider, 'listAddresses' | 'resolveTargets' | 'capabilities'>;
  readonly clock: Clock;
  readonly visibilityWindowMs: number;
}

/**
 * Plans with the planner that `run` uses. `all` are the claims that exist, and so stand in each other's way; `planned`
 * those that will be asked for, whose targets are read many at a time. Its methods throw what the cloud's reads throw.
 */
export function createPlanning(
  { all, planned }: { readonly all: readonly Claim[]; readonly planned: readonly Claim[] },
  { provider, clock, visibilityWindowMs }: PlanningDeps,
  signal: AbortSignal,
): Planning {
  const registry = createClaimRegistry();
  const holds = createHolds();
  for (const claim of all) {
    registry.put(claim, clock.monotonic());
    const { assignedId: id, assignedIp: ip } = claim;
    if (claim.wanted.kind === 'own' && id !== undefined && ip !== undefined) holds.keep(claim.key, { id, ip });
  }
  const targets = planned.flatMap(({ target }) => target ?? []);
  const reads = createCloudReads({
    provider,
    clock,
    upcoming: (isStale) => targets.filter(isStale),
    onListing: () => undefined,
  });
  // Reads that began since then are new enough: each is made once.
  const epoch = clock.monotonic();
  const rules = { atomicSwap: provider.capabilities.atomicSwap, visibilityWindowMs };
  const gathering: GatherDeps = { registry, reads, holds, rules, startedAt: -Infinity };
  const reading = { reads, signal, acting: { count: 0 }, isBusy: () => false };

  return {
    async planOf(claim) {
      for (;;) {
        const plan = planClaim(
          gatherFacts(claim, { now: clock.monotonic(), epoch, since: epoch, hopefulSince: epoch }, gathering),
        );
        if (plan.kind === 'read') {
          await readNeeded(claim, plan.need, reading);
          continue;
        }
        reserve(claim, plan, gathering);
        return plan;
      }
    },
    async listing(selection) {
      await reads.readListing(selection, epoch, signal);
      return reads.listing(selection)?.value;
    },
    async resolution(ref) {
      await reads.readTarget(ref, epoch, { signal });
      return reads.resolution(ref)?.value;
    },
  };
}

function reserve(claim: Claim, plan: SettledPlan, { registry, holds }: GatherDeps): void {
  if (plan.kind === 'rest') registry.stand(claim.key, plan.verdict.queue);
  if (plan.kind === 'record' && plan.verdict.status.kind === 'own') holds.keep(claim.key, plan.verdict.status.address);
  if (plan.kind !== 'step' || plan.step.do !== 'attach') return;
  const [first] = plan.step.candidates;
  if (first !== undefined) holds.reserve(claim.key, first);
}
