import type { Address, Attachment, Listing, Target } from '@static-ip/provider';
import type { OwnWish, Place } from './claim.ts';
import { errorVerdict } from './error-verdict.ts';
import { confirmation, placementOf, provisionalOn } from './facts.ts';
import type { Facts, Observed, Placement } from './facts.ts';
import { placeOf } from './listing-index.ts';
import { ownAddresses } from './own-address.ts';
import { planEnding } from './plan-ending.ts';
import { planObtaining } from './plan-obtaining.ts';
import { betterRight } from './rivals.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan, StatusChange } from './plan.ts';

/** A step that changes an attachment must rest on reads of this age, ms. */
const CHANGE_MAX_AGE_MS = 2_000;

/** A first address on a target may rest on a read of this age, ms: see `planAssignment`. */
const FIRST_MAX_AGE_MS = 15_000;

/**
 * Plans for a claim with an address of its own.
 *
 * | own address | target | plan |
 * |---|---|---|
 * | none | any | obtain one: found by its marks, taken from the pool, or allocated |
 * | free | none | wait |
 * | where the status says | none, or another one | take it off |
 * | somewhere else | any | leave it alone, say so |
 * | free | free | attach |
 * | free | holds somebody else's | leave it alone, say so |
 * | on the target | | settled |
 */
export function planOwn(facts: Facts, wish: OwnWish): Plan {
  const { claim, listing, epoch } = facts;
  if (listing === undefined || listing.beganAt < epoch) return { kind: 'read', need: { listing: epoch } };
  const { address, surplus } = ownAddresses(facts, wish, listing.value);
  if (wish.ending !== undefined) return planEnding(facts, wish, { address, surplus });
  if (address === undefined) return planObtaining(facts, wish, listing);
  const [extra] = surplus.filter(({ attachment }) => attachment === undefined);
  if (extra !== undefined) return { kind: 'step', step: { do: 'release', address: extra }, onFailure: KEEP };
  if (address.id !== claim.assignedId) return record(address);
  if (claim.target === undefined) return planUnplaced(facts, listing, address);
  return planPlaced(facts, listing, address);
}

/** The id is written down before the address is used: after a crash it tells where to go on. */
function record(address: Address): Plan {
  const { id, ip } = address;
  const message = `${ip} is reserved`;
  const status: StatusChange = { kind: 'own', address: { id, ip } };
  return { kind: 'record', verdict: { reason: 'AddressReserved', message, status, recheck: { kind: 'resync' } } };
}

function planUnplaced(facts: Facts, listing: Observed<Listing>, address: Address): Plan {
  const { claim } = facts;
  const { attachment } = address;
  if (listing.beganAt < facts.changedAt) return { kind: 'read', need: { listing: facts.changedAt } };
  const why = claim.unplaced ?? { reason: 'TargetMissing', message: 'There is nothing to attach the address to' };
  if (attachment === undefined || facts.detached.has(attachment.id)) return rest({ ...why, status: owned(address) });
  if (!isAt(attachment, claim.assignedPlace)) return inUse(address, attachment);
  return takeOff(facts, listing, attachment);
}

function planPlaced(facts: Facts, listing: Observed<Listing>, address: Address): Plan {
  const { resolution, epoch } = facts;
  if (resolution === undefined) return { kind: 'read', need: { target: epoch } };
  const { value, beganAt } = resolution;
  if ('error' in value) {
    if (beganAt < epoch) return { kind: 'read', need: { target: epoch } };
    const isElsewhere = address.attachment !== undefined && value.error.code === 'notFound';
    // The target is gone, and so is what it held: the cloud only has not said so yet.
    return isElsewhere ? planUnplaced(facts, listing, address) : rest(errorVerdict(value.error));
  }
  const placement = placementOf(facts, { value: value.target, beganAt });
  const winner = betterRight(facts, placement);
  if (winner !== undefined) {
    return rest({ reason: 'TargetClaimed', message: `${winner} has the better right to the same target` });
  }
  return planOnTarget(facts, listing, { address, placement });
}

interface Pair {
  readonly address: Address;
  readonly placement: Placement;
}

function planOnTarget(facts: Facts, listing: Observed<Listing>, pair: Pair): Plan {
  const { address, placement } = pair;
  const { holding, provedAt } = placement;
  if (holding?.addressId === address.id) return settled(holding);
  if (holding !== undefined && provedAt < facts.epoch) return { kind: 'read', need: { target: facts.epoch } };
  if (holding !== undefined && holding.ip !== facts.claim.assignedIp) return occupied(address, holding);
  const provisional = provisionalOn(facts, placement.target.id);
  if (provisional !== undefined) return { kind: 'read', need: confirmation(facts, provisional) };
  if (listing.beganAt < facts.changedAt) return { kind: 'read', need: { listing: facts.changedAt } };
  const { attachment } = address;
  return attachment === undefined || facts.detached.has(attachment.id)
    ? attach(facts, pair)
    : planElsewhere(facts, listing, { ...pair, attachment });
}

function planElsewhere(
  facts: Facts,
  listing: Observed<Listing>,
  { address, placement, attachment }: Pair & { readonly attachment: Attachment },
): Plan {
  const isOurs = isAt(attachment, facts.claim.assignedPlace) || isAt(attachment, placement.target);
  return isOurs ? takeOff(facts, listing, attachment) : inUse(address, attachment);
}

function attach(facts: Facts, { address, placement }: Pair): Plan {
  const { target, holding } = placement;
  const youngest = youngestTarget(facts, placement);
  if ((facts.resolution?.beganAt ?? -Infinity) < youngest) return { kind: 'read', need: { target: youngest } };
  if (!isUsableBy(address, target)) {
    const message = `${address.ip} is of ${address.location ?? ''}, the target of ${target.location ?? ''}`;
    return rest({ reason: 'LocationMismatch', message, status: owned(address) });
  }
  const candidates = [{ kind: 'address', address }] as const;
  // Without a confirmed attachment the status does not say more than is true: the try costs no write.
  const onFailure = facts.claim.assignedAttachment === undefined ? KEEP : owned(address);
  return { kind: 'step', step: { do: 'attach', candidates, target, expected: holding }, onFailure };
}

/** How old the read of the target may be: see `planAssignment`. */
function youngestTarget({ now, listing }: Facts, { hasHeld, holding }: Placement): number {
  if (!hasHeld && holding === undefined) return now - FIRST_MAX_AGE_MS;
  return Math.max(now - CHANGE_MAX_AGE_MS, listing?.beganAt ?? now);
}

function takeOff({ now }: Facts, listing: Observed<Listing>, attachment: Attachment): Plan {
  if (listing.beganAt < now - CHANGE_MAX_AGE_MS) return { kind: 'read', need: { listing: now - CHANGE_MAX_AGE_MS } };
  return { kind: 'step', step: { do: 'detach', attachment }, onFailure: KEEP };
}

function settled(attachment: Attachment): Plan {
  const { ip } = attachment;
  return rest({ reason: 'AddressAssigned', message: `${ip} is attached`, status: { kind: 'set', ip, attachment } });
}

function occupied(address: Address, { ip }: Attachment): Plan {
  const message = `The target already holds ${ip}, which is not this claim's; left alone`;
  return rest({ reason: 'TargetOccupied', message, status: owned(address) });
}

function inUse(address: Address, { privateIp, interfaceId }: Attachment): Plan {
  const message = `${address.ip} is attached to ${privateIp ?? '?'} on ${interfaceId ?? '?'} by somebody else; left alone`;
  return rest({ reason: 'AddressInUse', message, status: owned(address) });
}

function owned({ id, ip }: Address): StatusChange {
  return { kind: 'own', address: { id, ip } };
}

/** True when the attachment is at this place. */
export function isAt(attachment: Attachment, place: Place | undefined): boolean {
  return place !== undefined && placeOf(attachment) === placeOf(place);
}

function isUsableBy({ location }: Address, target: Target): boolean {
  return location === undefined || target.location === undefined || location === target.location;
}
