import type { Address, Attachment } from '@static-ip/provider';
import type { OwnWish } from './claim.ts';
import type { Facts } from './facts.ts';
import { placeOf } from './listing-index.ts';
import { isMadeFor } from './own-address.ts';
import type { OwnAddresses } from './own-address.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan } from './plan.ts';

/** A detach or a release must rest on a listing of this age, ms. */
const END_MAX_AGE_MS = 2_000;

/**
 * Plans for a claim that ends: what it has in the cloud is taken off and given back, one step after the other, from the
 * cloud's word alone. Nothing in Kubernetes is needed for it: pods, nodes and interfaces may be gone.
 */
export function planEnding(facts: Facts, wish: OwnWish, { address, surplus }: OwnAddresses): Plan {
  const { listing, now, doubtUntil } = facts;
  const youngest = Math.max(now - END_MAX_AGE_MS, facts.changedAt);
  if ((listing?.beganAt ?? -Infinity) < youngest) return { kind: 'read', need: { listing: youngest } };
  const left = address === undefined ? surplus : [address, ...surplus];
  for (const one of left) {
    const plan = planGivingBack(facts, wish, one);
    if (plan !== undefined) return plan;
  }
  if (wish.origin.kind === 'allocated' && left.length === 0 && now < doubtUntil) {
    const message = 'Looking for an address that may have been allocated';
    return rest({ reason: 'Confirming', message, recheck: { kind: 'after', ms: 1_000 } });
  }
  return rest({
    reason: 'AddressDetached',
    message: 'Nothing is left in the cloud',
    status: { kind: 'clear' },
    ended: true,
  });
}

/** The next step for one address; undefined when all is done that may be done. */
function planGivingBack(facts: Facts, wish: OwnWish, address: Address): Plan | undefined {
  const { attachment } = address;
  const isAttached = attachment !== undefined && !facts.detached.has(attachment.id);
  if (isAttached) {
    // Somebody else has put it there: it is theirs to take off, and cannot be released.
    if (!isPlacedByUs(facts, attachment)) return undefined;
    return { kind: 'step', step: { do: 'detach', attachment }, onFailure: KEEP };
  }
  return mayRelease(facts, wish, address)
    ? { kind: 'step', step: { do: 'release', address }, onFailure: KEEP }
    : undefined;
}

function isPlacedByUs({ claim, provisional, resolution }: Facts, attachment: Attachment): boolean {
  if (provisional?.attachment.id === attachment.id) return true;
  const target = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
  const places = [claim.assignedPlace, target].flatMap((place) => (place === undefined ? [] : [placeOf(place)]));
  return places.includes(placeOf(attachment));
}

function mayRelease({ claim }: Facts, { origin, ending }: OwnWish, address: Address): boolean {
  return origin.kind === 'allocated' && ending?.release === true && isMadeFor(address, claim.uid, origin.clusterUid);
}
