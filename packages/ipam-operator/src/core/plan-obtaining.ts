import type { AllocateRequest, Listing } from '@static-ip/provider';
import { compareClaims } from './claim.ts';
import type { OwnWish } from './claim.ts';
import { notOlderThan } from './facts.ts';
import type { Facts, Observed } from './facts.ts';
import { planAdoption } from './plan-adoption.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan } from './plan.ts';
import { lostStatus, settledOn } from './own-status.ts';

/** To choose one, to wait because there is none, or to miss one must rest on a listing of this age, ms. */
const CHOICE_MAX_AGE_MS = 2_000;

/** Pause between looks for an address that may exist unseen, ms. */
const LOOK_AGAIN_MS = 1_000;

/** Plans for a claim whose own address is not known: it may not exist, or not be visible yet. */
export function planObtaining(facts: Facts, wish: OwnWish, listing: Observed<Listing>): Plan {
  const youngest = mayExist(facts, wish) ? notOlderThan(facts, CHOICE_MAX_AGE_MS) : -Infinity;
  if (listing.beganAt < youngest) return { kind: 'read', need: { listing: youngest } };
  const { origin } = wish;
  switch (origin.kind) {
    case 'allocated':
      return planAllocation(facts, origin.request);
    case 'adopted':
      return planAdoption(facts, wish, listing);
    case 'given': {
      const message = `There is no address ${origin.addressId} in this account and region`;
      return rest({ reason: 'NoAddressMatches', message, status: lostStatus(facts) });
    }
  }
}

/**
 * An address that carries the claim's marks was made by this process, which remembers it, or may have been, or by one
 * before it: of both the doubt tells. Without any, the last listing says as much as one of now, which would be a read
 * for each that comes.
 */
function mayExist({ claim, doubtUntil, made }: Facts, { origin }: OwnWish): boolean {
  const isKnownOfNone = claim.assignedId === undefined && made === undefined && doubtUntil === -Infinity;
  return origin.kind !== 'allocated' || !isKnownOfNone;
}

/** New ids can stay hidden for a while: after a restart or a lost answer, looking comes before making. */
function planAllocation(facts: Facts, request: AllocateRequest): Plan {
  const { claim, now, doubtUntil, rivals } = facts;
  if (now < doubtUntil) {
    const message = 'Looking for an address that may have been allocated already';
    return rest({ reason: 'Confirming', message, recheck: { kind: 'after', ms: LOOK_AGAIN_MS } });
  }
  if (claim.assignedId !== undefined) return planLoss(facts, claim.assignedId);
  // An address for a target that belongs to another claim would be paid for and never used.
  const [older] = rivals.filter((rival) => compareClaims(rival, claim) < 0);
  if (older !== undefined) {
    return rest({ reason: 'TargetClaimed', message: `${older.key} has the better right to the same target` });
  }
  return { kind: 'step', step: { do: 'allocate', request }, onFailure: KEEP };
}

/** What the status names is in no listing: it no longer exists, or somebody has changed its tags. */
function planLoss(facts: Facts, id: string): Plan {
  const { claim, resolution } = facts;
  const youngest = notOlderThan(facts, CHOICE_MAX_AGE_MS);
  if (claim.target !== undefined && (resolution === undefined || resolution.beganAt < youngest)) {
    return { kind: 'read', need: { target: youngest } };
  }
  const held = resolution !== undefined && 'target' in resolution.value ? resolution.value.target.holding : undefined;
  if (held?.addressId === id) return settledOn(held);
  const message = `${id} no longer exists`;
  const verdict = { reason: 'AddressLost', message, status: { kind: 'clear' }, recheck: { kind: 'resync' } } as const;
  return { kind: 'record', verdict };
}
