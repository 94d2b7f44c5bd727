import { explainSkipped, selectCandidates } from '@static-ip/provider';
import type { Address, Listing } from '@static-ip/provider';
import { describeSelection, queueName } from './claim.ts';
import type { OwnWish } from './claim.ts';
import type { Facts, Observed } from './facts.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan, StatusChange } from './plan.ts';

/** To choose one, or to wait because there is none, must rest on a listing of this age, ms. */
const CHOICE_MAX_AGE_MS = 2_000;

/** Pause between looks for an address that may exist unseen, ms. */
const LOOK_AGAIN_MS = 1_000;

/** Plans for a claim whose own address is not known: it may not exist, or not be visible yet. */
export function planObtaining(facts: Facts, wish: OwnWish, listing: Observed<Listing>): Plan {
  const { now } = facts;
  if (listing.beganAt < now - CHOICE_MAX_AGE_MS) {
    return { kind: 'read', need: { listing: now - CHOICE_MAX_AGE_MS } };
  }
  switch (wish.origin.kind) {
    case 'allocated':
      return planAllocation(facts, wish);
    case 'adopted':
      return planAdoption(facts, wish, listing.value);
    case 'given': {
      const message = `There is no address ${wish.origin.addressId} in this account and region`;
      return rest({ reason: 'NoAddressMatches', message, status: lost(facts) });
    }
  }
}

/** New ids can stay hidden for a while: after a restart or a lost answer, looking comes before making. */
function planAllocation(facts: Facts, wish: OwnWish): Plan {
  const { claim, now, doubtUntil } = facts;
  if (now < doubtUntil) {
    const message = 'Looking for an address that may have been allocated already';
    return rest({ reason: 'Confirming', message, recheck: { kind: 'after', ms: LOOK_AGAIN_MS } });
  }
  if (claim.assignedId !== undefined) {
    const message = `${claim.assignedId} no longer exists`;
    return {
      kind: 'record',
      verdict: { reason: 'AddressLost', message, status: { kind: 'clear' }, recheck: { kind: 'resync' } },
    };
  }
  if (wish.origin.kind !== 'allocated') throw new TypeError('only an allocated address is allocated');
  return { kind: 'step', step: { do: 'allocate', request: wish.origin.request }, onFailure: KEEP };
}

function planAdoption(facts: Facts, wish: OwnWish, listing: Listing): Plan {
  const { taken, takenPlaces, reservedIp, claim, resolution } = facts;
  const target = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
  const choice = selectCandidates(listing, {
    location: target?.location,
    preferIp: reservedIp ?? claim.assignedIp,
    taken,
    takenPlaces,
  });
  const words = describeSelection(wish.selection);
  const queue = queueName(wish.selection, target?.location);
  if (choice.matched === 0) {
    return rest({ reason: 'NoAddressMatches', message: `No address has ${words}`, queue, status: lost(facts) });
  }
  const free = choice.candidates.flatMap((candidate) => (candidate.kind === 'address' ? [candidate.address] : []));
  const [first] = free;
  if (first === undefined || free.length <= facts.ahead) {
    const message = `Waiting for an address with ${words}: ${explainSkipped(choice)}`;
    return rest({ reason: 'PoolExhausted', message, queue, status: lost(facts) });
  }
  return bind(first);
}

function bind({ id, ip }: Address): Plan {
  const status: StatusChange = { kind: 'own', address: { id, ip } };
  const message = `${ip} is reserved`;
  return { kind: 'record', verdict: { reason: 'AddressReserved', message, status, recheck: { kind: 'resync' } } };
}

/** A read has shown that what the status names is not there. */
function lost({ claim }: Facts): StatusChange {
  return claim.assignedId === undefined ? KEEP : { kind: 'clear' };
}
