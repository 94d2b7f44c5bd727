import type { Address, Attachment } from '@static-ip/provider';
import type { Facts } from './facts.ts';
import { recordedAttachment } from './recorded-attachment.ts';

/**
 * A detach or a release may rest on a listing of this age, ms. Both are harmless when it is wrong: an attachment is named
 * by its id, which no later one has, and the cloud releases nothing that is attached.
 */
export const TAKE_OFF_MAX_AGE_MS = 15_000;

/**
 * Where the claim's own address is attached: what this process has attached since the listing, else what the listing
 * shows, without what was taken off since. So no listing has to be read again to know what was done here.
 */
export function currentAttachment(facts: Facts, { id, attachment }: Address): Attachment | undefined {
  const since = attachedSince(facts);
  const known = since?.addressId === id ? [since, attachment] : [attachment];
  return known.find((one) => one !== undefined && !facts.detached.has(one.id));
}

function attachedSince(facts: Facts): Attachment | undefined {
  const { provisional, listing, changedAt } = facts;
  if (provisional !== undefined) return provisional.attachment;
  return (listing?.beganAt ?? -Infinity) < changedAt ? recordedAttachment(facts) : undefined;
}

/**
 * True when this process attached the address after the listing, and neither remembers how nor has it in the status: as after
 * a write of the status that failed. Only a newer listing tells then.
 */
export function isAttachmentForgotten(facts: Facts): boolean {
  const { provisional, listing, changedAt, own } = facts;
  if (provisional !== undefined || (listing?.beganAt ?? -Infinity) >= changedAt) return false;
  // A detach is a later change than what was put there.
  return (own?.at ?? -Infinity) >= changedAt && recordedAttachment(facts) === undefined;
}
