import { compareClaims } from '../core/claim.ts';
import { describePlan } from './planned-claim.ts';
import type { PlannedClaim } from './planned-claim.ts';
import { createPlanning } from './planning.ts';
import type { PlanningDeps } from './planning.ts';
import { readClaims } from './read-claims.ts';
import type { ReadClaimsDeps } from './read-claims.ts';

export type PlanDeps = Omit<ReadClaimsDeps, 'now' | 'namelessEips'> & Pick<PlanningDeps, 'provider' | 'clock'>;

/**
 * Plans every claim once, oldest first, with the planner that `run` uses; what one would take is not offered to the next.
 * Nothing is changed anywhere. @throws KubeError or StaticIpError when the cluster or the cloud cannot be read.
 */
export async function planClaims(deps: PlanDeps, signal: AbortSignal): Promise<readonly PlannedClaim[]> {
  const { provider, clock, options } = deps;
  const read = await readClaims({ ...deps, now: clock.now(), namelessEips: 'leave' }, signal);
  const claims = read.map(({ claim }) => claim).toSorted(compareClaims);
  const { visibilityWindowMs } = options;
  const planning = createPlanning({ all: claims, planned: claims }, { provider, clock, visibilityWindowMs }, signal);
  const planned: PlannedClaim[] = [];
  for (const claim of claims) planned.push(describePlan(claim, await planning.planOf(claim)));
  return planned;
}
