import { isMarkedRetained } from '@static-ip/provider';
import type { Address, Attachment } from '@static-ip/provider';
import type { OwnWish } from './claim.ts';
import { currentAttachment, isAttachmentForgotten, TAKE_OFF_MAX_AGE_MS } from './current-attachment.ts';
import { notOlderThan } from './facts.ts';
import type { Facts } from './facts.ts';
import { isAt } from './listing-index.ts';
import { isMadeFor } from './own-address.ts';
import type { OwnAddresses } from './own-address.ts';
import { isPlacedByUs } from './placed-by-us.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan, Step } from './plan.ts';
import { recordedAttachment } from './recorded-attachment.ts';

/** Pause between looks for an address that may exist unseen, ms. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Plans for a claim that ends: what it has in the cloud is taken off and given back, one step after the other, from the
 * cloud's word alone. Nothing in Kubernetes is needed for it: pods, nodes and interfaces may be gone.
 */
export function planEnding(facts: Facts, wish: OwnWish, { address, surplus }: OwnAddresses): Plan {
  const { listing, now, doubtUntil } = facts;
  const youngest = isAttachmentForgotten(facts) ? facts.changedAt : notOlderThan(facts, TAKE_OFF_MAX_AGE_MS);
  if ((listing?.beganAt ?? -Infinity) < youngest) return { kind: 'read', need: { listing: youngest } };
  const left = address === undefined ? surplus : [address, ...surplus];
  const [step] = [
    ...left.flatMap((one) => givingBack(facts, wish, one) ?? []),
    ...unlisted(facts, address),
    ...keeping(facts, wish, address),
  ];
  if (step !== undefined) return { kind: 'step', step, onFailure: KEEP };
  if (wish.origin.kind === 'allocated' && left.length === 0 && now < doubtUntil) {
    const message = 'Looking for an address that may have been allocated';
    return rest({ reason: 'Confirming', message, recheck: { kind: 'after', ms: LOOK_AGAIN_MS } });
  }
  const message = 'Nothing is left in the cloud';
  return rest({ reason: 'AddressDetached', message, status: { kind: 'clear' }, ended: true });
}

/** What the status names and no listing shows: its tags were changed. */
function unlisted(facts: Facts, address: Address | undefined): readonly Step[] {
  const attachment = address === undefined ? recordedAttachment(facts) : undefined;
  return attachment === undefined ? [] : [{ do: 'detach', attachment }];
}

/** The next step for one address; undefined when all is done that may be done. */
function givingBack(facts: Facts, wish: OwnWish, address: Address): Step | undefined {
  const attachment = currentAttachment(facts, address);
  if (attachment === undefined) return mayRelease(facts, wish, address) ? { do: 'release', address } : undefined;
  // Somebody else has put it there: it is theirs to take off, and cannot be released.
  return isOurs(facts, attachment) ? { do: 'detach', attachment } : undefined;
}

function isOurs(facts: Facts, attachment: Attachment): boolean {
  const { claim, provisional, resolution } = facts;
  if (attachment.id === provisional?.attachment.id || attachment.id === claim.assignedAttachment) return true;
  const target = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
  return isPlacedByUs(facts, attachment) || isAt(attachment, target);
}

/** Without the claim an address with its marks looks lost: one that shall stay must say so before the claim is gone. */
function keeping({ retained }: Facts, { origin, ending }: OwnWish, address: Address | undefined): readonly Step[] {
  if (address === undefined || origin.kind !== 'allocated' || ending?.release !== false) return [];
  return isMarkedRetained(address.tags) || retained.has(address.id) ? [] : [{ do: 'retain', address }];
}

function mayRelease({ claim }: Facts, { origin, ending }: OwnWish, address: Address): boolean {
  return origin.kind === 'allocated' && ending?.release === true && isMadeFor(address, claim.uid, origin.clusterUid);
}
