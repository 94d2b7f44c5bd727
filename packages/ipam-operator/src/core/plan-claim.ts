import type { Facts } from './facts.ts';
import { planAssignment } from './plan-assignment.ts';
import { planOwn } from './plan-own.ts';
import { planRelease } from './plan-release.ts';
import { rest } from './plan.ts';
import type { Plan, StatusChange } from './plan.ts';

/**
 * Decides what to do next for one claim. Pure: equal facts, equal plan. A claim with an address of its own is planned by
 * `planOwn`; for the others:
 *
 * | wanted | held by the target | plan |
 * |---|---|---|
 * | refused | anything | nothing, say why |
 * | nothing | what the status names | detach after the grace time |
 * | nothing | anything else | clear the status |
 * | an address | one of the selection | settled: the status names it |
 * | an address | what the status names, of no selection any more | swap, if there is a free one |
 * | an address | anything else | leave it alone, say so |
 * | an address | nothing | attach the first free one |
 */
export function planClaim(facts: Facts): Plan {
  const { claim } = facts;
  switch (claim.wanted.kind) {
    case 'refused':
      return permit(facts, rest(claim.wanted.refusal));
    case 'nothing':
      return permit(facts, planRelease(facts, claim.wanted.graceMs));
    case 'select':
      return permit(facts, planAssignment(facts, claim.wanted.selection));
    case 'own':
      return permit(facts, planOwn(facts, claim.wanted));
  }
}

/** Where somebody else serves the claim, every change becomes an observation. */
function permit({ claim }: Facts, plan: Plan): Plan {
  if (claim.authority.kind === 'act' || plan.kind === 'read') return plan;
  const { message } = claim.authority;
  // Without an address in the status the other operator is still at work.
  if (claim.assignedIp === undefined) return rest({ reason: 'ManagedByCilium', message });
  const isRight = plan.kind !== 'step' && agrees(plan.verdict.status, claim.assignedIp);
  // What a read has proved is said; it is what the status says already.
  if (isRight) return rest({ reason: 'ManagedByCilium', message, status: plan.verdict.status });
  return rest({ reason: 'DriftObserved', message: `${message}; the cloud does not agree with ${claim.assignedIp}` });
}

function agrees(status: StatusChange, assignedIp: string | undefined): boolean {
  return status.kind === 'keep' || (status.kind === 'set' && status.ip === assignedIp);
}
