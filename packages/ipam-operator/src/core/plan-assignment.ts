import { explainSkipped, selectCandidates } from '@static-ip/provider';
import type { Attachment, CandidateChoice, Listing, Selection, StaticIpError } from '@static-ip/provider';
import { describeSelection, queueName } from './claim.ts';
import { errorVerdict } from './error-verdict.ts';
import { attemptOn, confirmation, notOlderThan, placementOf, provisionalOn } from './facts.ts';
import type { Attempt, Facts, Observed, Placement } from './facts.ts';
import { indexListing } from './listing-index.ts';
import { KEEP, rest } from './plan.ts';
import { betterRight } from './rivals.ts';
import type { Need, Plan, StatusChange, Verdict } from './plan.ts';

/**
 * A choice among free addresses may rest on a listing of this age, ms: what this process takes it knows, and a race lost
 * to somebody else costs one call and no harm.
 */
const CHOICE_MAX_AGE_MS = 45_000;

/** To wait because nothing is free must rest on a listing of this age, ms. */
const EXHAUSTED_MAX_AGE_MS = 2_000;

/** A change to a target that held an address before must rest on a read of this age, ms. */
const CHANGE_MAX_AGE_MS = 2_000;

/**
 * A first address on a target, and in a status, may rest on a read of this age, ms. The cloud's rate makes claims wait at the last
 * moment, and reading again for each of them would cost as many calls as the attaching itself.
 */
const FIRST_MAX_AGE_MS = 15_000;

/** What both reads say, taken together. */
interface Seen {
  readonly listing: Observed<Listing>;
  readonly placement: Placement;
}

/** Plans for a claim that wants one address out of a selection. */
export function planAssignment(facts: Facts, selection: Selection): Plan {
  const { claim, listing, resolution, epoch } = facts;
  if (claim.target === undefined) return rest(claim.unplaced ?? { reason: 'InstanceUnknown', message: 'No instance' });
  if (resolution === undefined) return { kind: 'read', need: { listing: epoch, target: epoch } };
  if (listing === undefined || listing.beganAt < epoch) return { kind: 'read', need: { listing: epoch } };
  const { value, beganAt } = resolution;
  if ('error' in value) {
    return beganAt < epoch ? { kind: 'read', need: { target: epoch } } : planWithoutTarget(facts, listing, value.error);
  }
  const placement = placementOf(facts, { value: value.target, beganAt });
  const winner = betterRight(facts, placement);
  if (winner !== undefined) {
    return rest({ reason: 'TargetClaimed', message: `${winner} has the better right to the same target` });
  }
  return planOnTarget(facts, selection, { listing, placement });
}

function planOnTarget(facts: Facts, selection: Selection, seen: Seen): Plan {
  const { epoch } = facts;
  const { target, holding, provedAt } = seen.placement;
  const failedAt = attemptOn(facts, target.id)?.failedAt ?? -Infinity;
  if (holding === undefined) return planEmptyTarget(facts, selection, seen);
  // Seen before the attempt, which may have replaced it since.
  if (provedAt < failedAt) return { kind: 'read', need: { listing: failedAt, target: failedAt } };
  if (indexListing(seen.listing.value).byId.has(holding.addressId)) return planSettled(facts, holding, provedAt);
  if (isMadeAfter(facts, seen.listing, holding)) return { kind: 'read', need: { listing: facts.now } };
  if (provedAt < epoch) return { kind: 'read', need: { target: epoch } };
  if (isOwn(facts, holding)) return planSwap(facts, selection, { ...seen, holding });
  return rest({
    reason: 'TargetOccupied',
    message: `The target already holds ${holding.ip}, which is not one of ${describeSelection(selection)}; left alone`,
    status: lostStatus(facts),
  });
}

/** What the status names, and what this process put there for a wish that has changed since. */
function isOwn({ claim, own, attempt }: Facts, { ip }: Attachment): boolean {
  return ip === claim.assignedIp || ip === own?.ip || ip === attempt?.ip;
}

/** Some clouds make an address by attaching it: a listing from before cannot know it. */
function isMadeAfter({ provisional }: Facts, { beganAt }: Observed<Listing>, { addressId }: Attachment): boolean {
  return provisional?.attachment.addressId === addressId && beganAt < provisional.madeAt;
}

function planEmptyTarget(facts: Facts, selection: Selection, { listing, placement }: Seen): Plan {
  const { now } = facts;
  const { target } = placement;
  const provisional = provisionalOn(facts, target.id);
  // One read of targets confirms this one and looks at those that come next.
  if (provisional !== undefined) return { kind: 'read', need: confirmation(facts, provisional) };
  const attempt = attemptOn(facts, target.id);
  const need = freshness(facts, placement, attempt);
  if (isStale(facts, need)) return { kind: 'read', need };
  if (attempt !== undefined && !isWithOthers(listing.value, attempt))
    return planAgain(facts, { listing, placement }, attempt);
  const choice = choose(facts, listing.value, placement);
  if (freeCount(choice) <= facts.ahead) {
    if (isOldForExhausted(facts, listing)) return { kind: 'read', need: { listing: now } };
    return { kind: 'rest', verdict: { ...exhausted(selection, choice, placement), status: lostStatus(facts) } };
  }
  const { candidates } = choice;
  return { kind: 'step', step: { do: 'attach', candidates, target }, onFailure: lostStatus(facts) };
}

/** While an attach may still take effect, only the same address is tried: another one would displace it. */
function planAgain({ now }: Facts, { listing, placement }: Seen, { addressId }: Attempt): Plan {
  const address = indexListing(listing.value).byId.get(addressId);
  // The tags have changed since: the address is not to be had any more, but it may come.
  if (address === undefined) return { kind: 'read', need: { target: now } };
  const candidates = [{ kind: 'address', address }] as const;
  return { kind: 'step', step: { do: 'attach', candidates, target: placement.target }, onFailure: KEEP };
}

/** Somebody else is seen to have it. */
function isWithOthers(listing: Listing, { addressId }: Attempt): boolean {
  return indexListing(listing).byId.get(addressId)?.attachment !== undefined;
}

/** To wait because nothing is free rests on a listing of this moment. */
function isOldForExhausted(facts: Facts, { beganAt }: Observed<Listing>): boolean {
  return beganAt < Math.max(notOlderThan(facts, EXHAUSTED_MAX_AGE_MS), facts.hopefulSince);
}

interface Swap extends Seen {
  readonly holding: Attachment;
}

/** The claim's own address is no longer of its selection: it goes when there is another one, not before. */
function planSwap(facts: Facts, selection: Selection, { listing, placement, holding }: Swap): Plan {
  const choice = choose(facts, listing.value, placement);
  const { target } = placement;
  const attempt = attemptOn(facts, target.id);
  if (freeCount(choice) <= facts.ahead) {
    if (isOldForExhausted(facts, listing)) return { kind: 'read', need: { listing: facts.now } };
    const verdict = exhausted(selection, choice, placement);
    const status = { kind: 'set', ip: holding.ip, attachment: holding } as const;
    return rest({ ...verdict, message: `${verdict.message}; keeping ${holding.ip}`, status });
  }
  const need = freshness(facts, placement, attempt);
  if (isStale(facts, need)) return { kind: 'read', need };
  if (!facts.rules.atomicSwap) return { kind: 'step', step: { do: 'detach', attachment: holding }, onFailure: KEEP };
  const tried = choice.candidates.filter((one) => one.kind === 'address' && one.address.id === attempt?.addressId);
  const candidates = tried.length > 0 ? tried : choice.candidates;
  const step = { do: 'attach', candidates, target, expected: holding } as const;
  return { kind: 'step', step, onFailure: KEEP };
}

/** What the status does not name yet is named after a read of now, not after one that was made for others. */
function planSettled(facts: Facts, attachment: Attachment, provedAt: number): Plan {
  const { ip } = attachment;
  const notBefore = notOlderThan(facts, FIRST_MAX_AGE_MS);
  if (ip !== facts.claim.assignedIp && provedAt < notBefore) return { kind: 'read', need: { target: notBefore } };
  return rest({ reason: 'AddressAssigned', message: `${ip} is attached`, status: { kind: 'set', ip, attachment } });
}

function choose(facts: Facts, listing: Listing, { target }: Placement): CandidateChoice {
  return selectCandidates(listing, {
    location: target.location,
    preferIp: facts.reservedIp ?? facts.claim.assignedIp,
    taken: facts.taken,
    takenPlaces: facts.takenPlaces,
  });
}

function exhausted(selection: Selection, choice: CandidateChoice, { target }: Placement): Verdict {
  const words = describeSelection(selection);
  const queue = queueName(selection, target.location);
  const base = { status: KEEP, recheck: { kind: 'resync' } } as const;
  if (choice.matched === 0) {
    return { ...base, reason: 'NoAddressMatches', message: `No address has ${words}`, queue };
  }
  const isElsewhere = choice.skipped.otherLocation > 0 && choice.candidates.length === 0;
  const reason = isElsewhere && takenHere(choice) === 0 ? 'LocationMismatch' : 'PoolExhausted';
  return {
    ...base,
    reason,
    message: `Waiting for an address with ${words}: ${explainSkipped(choice)}`,
    queue,
  };
}

/** Addresses and places that this claim could take. */
function freeCount({ matched, skipped }: CandidateChoice): number {
  return matched - skipped.attached - skipped.reserved - skipped.otherLocation - skipped.taken;
}

/** Addresses of the target's own location, whoever has them now. */
function takenHere({ skipped }: CandidateChoice): number {
  return skipped.attached + skipped.taken;
}

/** A read has shown that the target does not hold what the status names. */
function lostStatus({ claim }: Facts): StatusChange {
  return claim.assignedIp === undefined ? KEEP : { kind: 'clear' };
}

/** Without a target the listing alone can prove the status wrong. */
function planWithoutTarget({ claim }: Facts, listing: Observed<Listing>, error: StaticIpError): Plan {
  const verdict = errorVerdict(error);
  const address = listing.value.addresses.find(({ ip }) => ip === claim.assignedIp);
  const isProved = error.code === 'notFound' && claim.assignedIp !== undefined && address?.attachment === undefined;
  return rest({ ...verdict, status: isProved ? { kind: 'clear' } : KEEP });
}

/**
 * What the reads must not be older than for a change of the target. A target that held an address is read again after
 * the listing that shows the loss: somebody else's may be there by now.
 */
function freshness(
  facts: Facts,
  placement: Placement,
  attempt: Attempt | undefined,
): Required<Pick<Need, 'listing' | 'target'>> {
  const { claim, listing, now, own } = facts;
  const hasHeld = claim.assignedIp !== undefined || placement.hasHeld;
  const changed = Math.max(notOlderThan(facts, CHANGE_MAX_AGE_MS), listing?.beganAt ?? now);
  const target = hasHeld ? changed : notOlderThan(facts, FIRST_MAX_AGE_MS);
  const failedAt = attempt?.failedAt ?? -Infinity;
  return {
    listing: Math.max(notOlderThan(facts, CHOICE_MAX_AGE_MS), failedAt),
    target: Math.max(target, failedAt, own?.at ?? -Infinity),
  };
}

function isStale({ listing, resolution }: Facts, need: Required<Pick<Need, 'listing' | 'target'>>): boolean {
  return isOlder(listing, need.listing) || isOlder(resolution, need.target);
}

function isOlder(read: Observed<unknown> | undefined, than = -Infinity): boolean {
  return read === undefined || read.beganAt < than;
}
