import type { Address, Listing } from '@static-ip/provider';
import type { OwnWish } from './claim.ts';
import { currentAttachment, isAttachmentForgotten } from './current-attachment.ts';
import type { Facts, Observed } from './facts.ts';
import { ownAddresses } from './own-address.ts';
import type { OwnAddresses } from './own-address.ts';
import { ownStatus, recordAddress } from './own-status.ts';
import { planEnding } from './plan-ending.ts';
import { planObtaining } from './plan-obtaining.ts';
import { planOwnTarget } from './plan-own-target.ts';
import { isPlacedByUs } from './placed-by-us.ts';
import { planTakingOff, tellInUse } from './plan-taking-off.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan } from './plan.ts';

/**
 * Plans for a claim with an address of its own.
 *
 * | own address | target | plan |
 * |---|---|---|
 * | none | any | obtain one: found by its marks, taken from the pool, or allocated |
 * | another claim's | any | leave it alone, say so |
 * | more than one | any | release those that nobody uses |
 * | free | none | wait |
 * | where the status says | none, or another one | take it off |
 * | somewhere else | any | leave it alone, say so |
 * | free | free | attach |
 * | free | holds somebody else's | leave it alone, say so |
 * | on the target | | settled |
 */
export function planOwn(facts: Facts, wish: OwnWish): Plan {
  const { claim, listing, resolution, epoch } = facts;
  if (listing === undefined || listing.beganAt < epoch) {
    const isTargetUnknown = claim.target !== undefined && resolution === undefined && wish.ending === undefined;
    return { kind: 'read', need: { listing: epoch, target: isTargetUnknown ? epoch : undefined } };
  }
  const own = ownAddresses(facts, wish, listing.value);
  if (wish.ending !== undefined) return planEnding(facts, wish, own);
  if (own.address === undefined) return planObtaining(facts, wish, listing);
  return planWith(facts, listing, { ...own, address: own.address });
}

function planWith(
  facts: Facts,
  listing: Observed<Listing>,
  { address, surplus }: OwnAddresses & { readonly address: Address },
): Plan {
  const { claim, taken } = facts;
  if (taken.has(address.id)) return tellTaken(facts, address);
  const [extra] = surplus.filter(({ attachment }) => attachment === undefined);
  if (extra !== undefined) return { kind: 'step', step: { do: 'release', address: extra }, onFailure: KEEP };
  if (address.id !== claim.assignedId) return planRecording(facts, listing, address);
  return claim.target === undefined ? planUnplaced(facts, listing, address) : planOwnTarget(facts, listing, address);
}

/** Where it goes is found out first, as it has to be anyway: one write then says both. */
function planRecording(facts: Facts, listing: Observed<Listing>, address: Address): Plan {
  const { claim, resolution, epoch } = facts;
  if (claim.target === undefined) return recordAddress(address);
  if (resolution === undefined) return { kind: 'read', need: { target: epoch }, onFailure: ownStatus(address) };
  const recorded = {
    assignedId: address.id,
    assignedIp: address.ip,
    assignedPlace: undefined,
    assignedAttachment: undefined,
  };
  const next = planOwnTarget({ ...facts, claim: { ...claim, ...recorded } }, listing, address);
  return recordAddress(address, next.kind === 'step' && next.step.do === 'attach' ? next.step.target : undefined);
}

function tellTaken({ claim }: Facts, { id, ip }: Address): Plan {
  const message = `${ip} (${id}) belongs to another object already: give each its own`;
  const status = claim.assignedId === id ? ({ kind: 'clear' } as const) : KEEP;
  return rest({ reason: 'AddressInUse', message, status });
}

function planUnplaced(facts: Facts, listing: Observed<Listing>, address: Address): Plan {
  const { claim, changedAt } = facts;
  if (isAttachmentForgotten(facts)) return { kind: 'read', need: { listing: changedAt } };
  const why = claim.unplaced ?? { reason: 'TargetMissing', message: 'There is nothing to attach the address to' };
  const attachment = currentAttachment(facts, address);
  if (attachment === undefined) return rest({ ...why, status: ownStatus(address) });
  return isPlacedByUs(facts, attachment) ? planTakingOff(facts, listing, attachment) : tellInUse(address, attachment);
}
