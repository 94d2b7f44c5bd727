import type { Address, Attachment, Listing, StaticIpError, Target, TargetRef } from '@static-ip/provider';
import type { Claim } from './claim.ts';
import { currentAttachment, isAttachmentForgotten } from './current-attachment.ts';
import { errorVerdict } from './error-verdict.ts';
import { confirmation, notOlderThan, placementOf, provisionalOn } from './facts.ts';
import type { Facts, Observed, Placement } from './facts.ts';
import { isAt } from './listing-index.ts';
import { ownStatus, settledOn } from './own-status.ts';
import { isPlacedByUs } from './placed-by-us.ts';
import { planTakingOff, tellInUse } from './plan-taking-off.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan, Verdict } from './plan.ts';
import { betterRight } from './rivals.ts';

/** A change of a target that held an address before must rest on a read of this age, ms. */
const CHANGE_MAX_AGE_MS = 2_000;

/** A first address on a target may rest on a read of this age, ms: see `planAssignment`. */
const FIRST_MAX_AGE_MS = 15_000;

/** Plans for a claim that knows its own address and where it belongs. */
export function planOwnTarget(facts: Facts, listing: Observed<Listing>, address: Address): Plan {
  const { resolution, epoch } = facts;
  if (resolution === undefined) return { kind: 'read', need: { target: epoch } };
  const { value, beganAt } = resolution;
  if ('error' in value) {
    if (beganAt < epoch) return { kind: 'read', need: { target: epoch } };
    return planWithoutTarget(facts, listing, { address, error: value.error });
  }
  const placement = placementOf(facts, { value: value.target, beganAt });
  const winner = betterRight(facts, placement);
  if (winner !== undefined) {
    return rest({ reason: 'TargetClaimed', message: `${winner} has the better right to the same target` });
  }
  return planOnTarget(facts, listing, { address, placement });
}

interface Unresolved {
  readonly address: Address;
  readonly error: StaticIpError;
}

/**
 * The target cannot be found. What is attached to where the claim was before is taken off; what may be on the target
 * itself stays: reads of young interfaces can be old.
 */
function planWithoutTarget(facts: Facts, listing: Observed<Listing>, { address, error }: Unresolved): Plan {
  const { claim } = facts;
  const verdict = unresolvedVerdict(claim, error);
  if (error.code !== 'notFound') return rest(verdict);
  if (isAttachmentForgotten(facts)) return { kind: 'read', need: { listing: facts.changedAt } };
  const attachment = currentAttachment(facts, address);
  if (attachment === undefined) return rest({ ...verdict, status: ownStatus(address) });
  if (claim.target !== undefined && mayBeOn(claim.target, attachment)) return rest(verdict);
  return isPlacedByUs(facts, attachment) ? planTakingOff(facts, listing, attachment) : tellInUse(address, attachment);
}

function unresolvedVerdict({ target }: Claim, error: StaticIpError): Verdict {
  const verdict = errorVerdict(error);
  const isOverlay = error.code === 'notFound' && target?.kind === 'privateIp';
  return isOverlay ? { ...verdict, reason: 'PrivateIpUnknown' } : verdict;
}

function mayBeOn(ref: TargetRef, { instanceId, privateIp }: Attachment): boolean {
  const isSameInstance = ref.instanceId === undefined || instanceId === undefined || ref.instanceId === instanceId;
  return isSameInstance && (ref.kind === 'instance' || ref.privateIp === privateIp);
}

interface Pair {
  readonly address: Address;
  readonly placement: Placement;
}

function planOnTarget(facts: Facts, listing: Observed<Listing>, pair: Pair): Plan {
  const { address, placement } = pair;
  const { holding, provedAt, target } = placement;
  if (holding?.addressId === address.id) return settledOn(holding);
  if (holding !== undefined) {
    return provedAt < facts.epoch ? { kind: 'read', need: { target: facts.epoch } } : occupied(address, holding);
  }
  const provisional = provisionalOn(facts, target.id);
  if (provisional !== undefined) return { kind: 'read', need: confirmation(facts, provisional) };
  return planEmptyTarget(facts, listing, pair);
}

function planEmptyTarget(facts: Facts, listing: Observed<Listing>, pair: Pair): Plan {
  const { address, placement } = pair;
  if (isAttachmentForgotten(facts)) return { kind: 'read', need: { listing: facts.changedAt } };
  const attachment = currentAttachment(facts, address);
  if (attachment === undefined) return attach(facts, pair);
  const isOurs = isPlacedByUs(facts, attachment) || isAt(attachment, placement.target);
  return isOurs ? planTakingOff(facts, listing, attachment) : tellInUse(address, attachment);
}

function attach(facts: Facts, { address, placement }: Pair): Plan {
  const { target } = placement;
  const youngest = youngestTarget(facts, placement);
  if ((facts.resolution?.beganAt ?? -Infinity) < youngest) return { kind: 'read', need: { target: youngest } };
  if (!isUsableBy(address, target)) {
    const message = `${address.ip} is of ${address.location ?? ''}, the target of ${target.location ?? ''}`;
    return rest({ reason: 'LocationMismatch', message, status: ownStatus(address) });
  }
  // What the listing still shows of an attachment that is off by now must not stop the call.
  const candidates = [{ kind: 'address', address: { ...address, attachment: undefined } }] as const;
  // Without a confirmed attachment the status does not say more than is true: the try costs no write.
  const onFailure = facts.claim.assignedAttachment === undefined ? KEEP : ownStatus(address);
  return { kind: 'step', step: { do: 'attach', candidates, target }, onFailure };
}

/** How old the read of the target may be: see `planAssignment`. */
function youngestTarget(facts: Facts, { hasHeld }: Placement): number {
  if (!hasHeld) return notOlderThan(facts, FIRST_MAX_AGE_MS);
  return Math.max(notOlderThan(facts, CHANGE_MAX_AGE_MS), facts.listing?.beganAt ?? facts.now);
}

function occupied(address: Address, { ip }: Attachment): Plan {
  const message = `The target already holds ${ip}, which is not this claim's; left alone`;
  return rest({ reason: 'TargetOccupied', message, status: ownStatus(address) });
}

function isUsableBy({ location }: Address, target: Target): boolean {
  return location === undefined || target.location === undefined || location === target.location;
}
