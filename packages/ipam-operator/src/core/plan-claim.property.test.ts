import { describe, expect, it } from '@jest/globals';
import type { Address, Attachment } from '@static-ip/provider';
import fc from 'fast-check';
import { address, attachment, claim, facts, listing, NOW, seen, target } from '../testing/facts.ts';
import type { Facts } from './facts.ts';
import { planClaim } from './plan-claim.ts';

/** Small worlds in which everything may contradict everything. */
const worlds: fc.Arbitrary<Facts> = fc
  .record({
    free: fc.subarray([1, 2, 3]),
    elsewhere: fc.subarray([4, 5]),
    held: fc.option(fc.constantFrom(1, 2, 8, 9), { nil: undefined }),
    status: fc.option(fc.constantFrom(1, 2, 4, 8, 9), { nil: undefined }),
    taken: fc.subarray(['a-1', 'a-2', 'a-3']),
    ahead: fc.nat(3),
    wants: fc.constantFrom('address', 'nothing', 'refused'),
    observed: fc.boolean(),
    ages: fc.record({ listing: fc.nat(40_000), target: fc.nat(40_000) }),
    unwantedForMs: fc.constantFrom(0, 5_000),
    atomicSwap: fc.boolean(),
  })
  .map((world) => {
    const held: Attachment | undefined = world.held === undefined ? undefined : attachment(world.held);
    const addresses: readonly Address[] = [
      ...world.free.map((n) => address(n)),
      ...world.elsewhere.map((n) => address(n, { attachment: attachment(n, { interfaceId: 'eni-9' }) })),
    ];
    const wanted = {
      address: { kind: 'select', selection: { by: 'tags', tags: { pool: 'a' } } },
      nothing: { kind: 'nothing', graceMs: 5_000 },
      refused: { kind: 'refused', refusal: { reason: 'TagNotAllowed', message: 'no' } },
    } as const;
    return facts({
      claim: claim({
        wanted: wanted[world.wants],
        assignedIp: world.status === undefined ? undefined : `198.51.100.${world.status}`,
        authority: world.observed ? { kind: 'observe', message: 'Observed' } : { kind: 'act' },
      }),
      listing: seen(listing(...addresses), world.ages.listing),
      resolution: seen({ ref: target().ref, target: target({ holding: held }) }, world.ages.target),
      taken: new Set(world.taken),
      ahead: world.ahead,
      unwantedForMs: world.unwantedForMs,
      rules: { atomicSwap: world.atomicSwap, visibilityWindowMs: 60_000 },
    });
  });

function property(check: (world: Facts) => void): void {
  fc.assert(fc.property(worlds, check), { numRuns: 3_000 });
}

describe('whatever the world looks like, the planner', () => {
  it('offers only addresses that are free and not taken', () => {
    property((world) => {
      const plan = planClaim(world);
      if (plan.kind !== 'step' || plan.step.do !== 'attach') return;
      for (const candidate of plan.step.candidates) {
        if (candidate.kind !== 'address') throw new Error('no pools here');
        expect(candidate.address.attachment).toBeUndefined();
        expect(world.taken.has(candidate.address.id)).toBe(false);
      }
      expect(plan.step.candidates.length).toBeGreaterThan(world.ahead);
    });
  });

  it('replaces or detaches nothing but what the status names', () => {
    property((world) => {
      const plan = planClaim(world);
      if (plan.kind !== 'step') return;
      if (plan.step.do !== 'attach' && plan.step.do !== 'detach') throw new Error('nothing is allocated here');
      const touched = plan.step.do === 'detach' ? plan.step.attachment : plan.step.expected;
      if (touched !== undefined) expect(touched.ip).toBe(world.claim.assignedIp);
    });
  });

  it('acts only on facts that are young enough', () => {
    property((world) => {
      const plan = planClaim(world);
      if (plan.kind !== 'step') return;
      expect(NOW - (world.resolution?.beganAt ?? 0)).toBeLessThanOrEqual(15_000);
      if (plan.step.do === 'attach') expect(NOW - (world.listing?.beganAt ?? 0)).toBeLessThanOrEqual(45_000);
    });
  });

  it('takes no step and changes no status for a claim that it only observes or refuses', () => {
    property((world) => {
      if (world.claim.authority.kind === 'act' && world.claim.wanted.kind !== 'refused') return;
      const plan = planClaim(world);
      expect(plan.kind).not.toBe('step');
      if (plan.kind !== 'rest') return;
      const { status } = plan.verdict;
      // To say what the status says already changes nothing.
      if (status.kind === 'set') expect(status.ip).toBe(world.claim.assignedIp);
      else expect(status.kind).toBe('keep');
    });
  });

  it('names in the status only what a read shows on the target', () => {
    property((world) => {
      const plan = planClaim(world);
      if (plan.kind !== 'rest' || plan.verdict.status.kind !== 'set') return;
      const resolution = world.resolution?.value;
      const held = resolution !== undefined && 'target' in resolution ? resolution.target.holding : undefined;
      expect(plan.verdict.status.ip).toBe(held?.ip);
    });
  });

  it('asks only for facts that are younger than those it has', () => {
    property((world) => {
      const plan = planClaim(world);
      if (plan.kind !== 'read') return;
      const isNews =
        (plan.need.listing ?? -Infinity) > (world.listing?.beganAt ?? -Infinity) ||
        (plan.need.target ?? -Infinity) > (world.resolution?.beganAt ?? -Infinity);
      expect(isNews).toBe(true);
    });
  });
});
