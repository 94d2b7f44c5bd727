import type { Attachment } from '@static-ip/provider';
import type { Facts } from './facts.ts';
import { isAt } from './listing-index.ts';

/**
 * True when the claim's own address is where this operator has put it: where the status says, which is written before
 * the call, or where it was tried and nobody told the outcome. Such a try can take effect after the claim has moved on,
 * when the status names that place no more.
 */
export function isPlacedByUs({ claim, attempt, now, rules }: Facts, attachment: Attachment): boolean {
  if (isAt(attachment, claim.assignedPlace)) return true;
  if (attempt?.addressId !== attachment.addressId) return false;
  return isAt(attachment, attempt.place) && now - attempt.failedAt < rules.visibilityWindowMs;
}
