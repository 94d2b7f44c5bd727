import type { Address, Attachment, IdSet, Listing, PlaceCounts, Resolution, Target } from '@static-ip/provider';
import type { Claim, Place } from './claim.ts';
import { indexListing, placeOf } from './listing-index.ts';

/** One answer of the cloud. `beganAt` is monotonic ms from before the request was sent: the answer is not older. */
export interface Observed<T> {
  readonly value: T;
  readonly beganAt: number;
}

/** An attachment that the cloud has accepted and no read has shown yet. */
export interface Provisional {
  readonly attachment: Attachment;
  readonly targetId: string;
  /** Monotonic ms of the cloud's answer: only reads that began later can prove or disprove it. */
  readonly madeAt: number;
}

/** An attach whose outcome nobody told: the address may be on the target, or come to it yet. */
export interface Attempt {
  readonly addressId: string;
  readonly ip: string;
  readonly targetId: string;
  /** Where that is. */
  readonly place?: Place | undefined;
  /** Monotonic ms of the failure: only reads that began later can tell. */
  readonly failedAt: number;
}

/** An address that the cloud has made for us, at `at` (monotonic ms). */
export interface Made {
  readonly address: Address;
  readonly at: number;
}

/** An address that the claim has by this process's own knowledge. */
export interface Own {
  readonly ip: string;
  /** Monotonic ms: a read of the target that began before does not show it, and says nothing. */
  readonly at: number;
}

/** What the planner needs to know of another claim that wants the same target. */
export type Rival = Pick<Claim, 'key' | 'createdAt' | 'assignedIp'>;

/** All that the planner may know. Plain values: no clock, no store, no call. Times are monotonic ms. */
export interface Facts {
  readonly claim: Claim;
  readonly now: number;
  /** When the claim came, or an address came free by our own doing: what was read before tells nobody to wait. */
  readonly hopefulSince: number;
  /** When the last resync began: what was read before it is too old to settle on. */
  readonly epoch: number;
  readonly listing?: Observed<Listing> | undefined;
  readonly resolution?: Observed<Resolution> | undefined;
  readonly provisional?: Provisional | undefined;
  readonly attempt?: Attempt | undefined;
  /** What this process last put on the target for the claim, or saw there: the status may not name it yet. */
  readonly own?: Own | undefined;
  /** When this run began, or last acted: a read that began later is fresh, however long its answer took. */
  readonly since?: number | undefined;
  /** When this process last attached or detached something for the claim: an older listing cannot know of it. */
  readonly changedAt: number;
  /** Ids of attachments that we detached: a read that still shows one is old. */
  readonly detached: IdSet;
  /** Ids of addresses that other claims have reserved, or that were lost to somebody else after the listing. */
  readonly taken: IdSet;
  /** Places that other claims have reserved, by pool id. */
  readonly takenPlaces: PlaceCounts;
  /** The ip of the address that this claim has reserved: tried first. */
  readonly reservedIp?: string | undefined;
  /** How many older claims wait for the same addresses. */
  readonly ahead: number;
  readonly rivals: readonly Rival[];
  /** An address that this process made for the claim: reads may not show it yet. */
  readonly made: Made | undefined;
  /** Until then an address may exist that was made for the claim and that no read shows: none may be made. */
  readonly doubtUntil: number;
  /** Ids of addresses that we released: a read that still shows one is old. */
  readonly released: IdSet;
  /** Ids of addresses that we marked to be kept: a read that shows one without the mark is old. */
  readonly retained: IdSet;
  /** How long this process has seen the claim want nothing, ms. */
  readonly unwantedForMs: number;
  readonly rules: Rules;
}

/** What does not change while the process runs. */
export interface Rules {
  readonly atomicSwap: boolean;
  /** How long what was attached, or may have been, can stay unseen before the reads are believed instead, ms. */
  readonly visibilityWindowMs: number;
}

/** What was attached to the target and is too young for its absence from a read to mean anything. */
export function provisionalOn({ provisional, now, rules }: Facts, targetId: string): Provisional | undefined {
  if (provisional?.targetId !== targetId) return undefined;
  return now - provisional.madeAt < rules.visibilityWindowMs ? provisional : undefined;
}

/** The read that shall show what was attached; only the first one is in a hurry, since more would be asking the same. */
export function confirmation(
  { now, resolution }: Facts,
  { madeAt }: Provisional,
): { target: number; confirms: boolean } {
  return { target: now, confirms: (resolution?.beganAt ?? -Infinity) < madeAt };
}

/** The same for what may have been attached. */
export function attemptOn({ attempt, now, rules }: Facts, targetId: string): Attempt | undefined {
  if (attempt?.targetId !== targetId) return undefined;
  return now - attempt.failedAt < rules.visibilityWindowMs ? attempt : undefined;
}

/**
 * What a read must not have begun before, to be of this age, ms. What this run has read is fresh in any case: else it
 * would read for ever where an answer takes longer than that.
 */
export function notOlderThan({ now, since = now }: Facts, ageMs: number): number {
  return Math.min(now - ageMs, since);
}

/** Where the target is and what it holds, joined from both reads. */
export interface Placement {
  readonly target: Target;
  readonly holding?: Attachment | undefined;
  /** The target's own read showed an address, and a later read showed it gone. */
  readonly hasHeld: boolean;
  /** When the read began that `holding` rests on. */
  readonly provedAt: number;
}

/**
 * Joins the target's read with the listing; the later one wins where they disagree. The listing knows only addresses of
 * its selection, so another kind of address on the target stays as the target's read saw it.
 */
export function placementOf(facts: Facts, { value: target, beganAt }: Observed<Target>): Placement {
  const { listing } = facts;
  const seen = isGone(facts, target.holding) ? undefined : target.holding;
  const byTarget = { target, holding: seen, hasHeld: target.holding !== undefined, provedAt: beganAt };
  if (listing === undefined || listing.beganAt < beganAt) return byTarget;
  const { byPlace, byId } = indexListing(listing.value);
  const byListing = { ...byTarget, provedAt: listing.beganAt };
  const listed = byPlace.get(placeOf(target));
  if (listed !== undefined && !isGone(facts, listed)) return { ...byListing, holding: listed };
  if (seen === undefined) return byListing;
  return byId.has(seen.addressId) ? { ...byListing, holding: undefined } : byTarget;
}

function isGone({ detached }: Facts, attachment: Attachment | undefined): boolean {
  return attachment !== undefined && detached.has(attachment.id);
}
