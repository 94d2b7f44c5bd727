import type { Address, Pool } from './address.ts';
import type { Candidate, Listing } from './provider.ts';

/** Anything that can tell whether an id is in it: a set, or a view of a larger structure. */
export interface IdSet {
  has(id: string): boolean;
}

/** Anything that can tell a count by id. */
export interface PlaceCounts {
  get(id: string): number | undefined;
}

/** What one claim may take from a listing. */
export interface Wanted {
  /** `Target.location`; absent: unknown, so no candidate is ruled out for its location. */
  readonly location?: string | undefined;
  /** The address the claim had before: it comes first when it is free. */
  readonly preferIp?: string | undefined;
  /** Ids of addresses that other claims have reserved. */
  readonly taken: IdSet;
  /** Places other claims have reserved, by pool id. The cloud does not count them as used yet. */
  readonly takenPlaces?: PlaceCounts | undefined;
}

/** Why the addresses (or places of pools) that match cannot be used: each is counted once, by the first that holds. */
export interface Skipped {
  /** The cloud keeps it for something else. */
  readonly reserved: number;
  /** Attached already, to whatever target. */
  readonly attached: number;
  readonly otherLocation: number;
  /** Reserved by another claim. */
  readonly taken: number;
}

/** The answer of `selectCandidates`; `matched` counts addresses and places of pools. */
export interface CandidateChoice {
  /** In the order they should be tried: the preferred address, then addresses by id, then pools by id. */
  readonly candidates: readonly Candidate[];
  readonly matched: number;
  readonly skipped: Skipped;
  /** The locations behind `skipped.otherLocation`, sorted. */
  readonly otherLocations: readonly string[];
}

type SkipReason = keyof Skipped;

/**
 * Chooses, from one read of the cloud, what a claim may try, in an order that depends on nothing but its arguments:
 * equal claims that see equal worlds agree, and two claims are kept apart by `taken` only.
 */
export function selectCandidates(listing: Listing, wanted: Wanted): CandidateChoice {
  const skipped: Record<SkipReason, number> = { reserved: 0, attached: 0, otherLocation: 0, taken: 0 };
  const otherLocations = new Set<string>();
  const skip = (reason: SkipReason, count: number, location: string | undefined): void => {
    skipped[reason] += count;
    if (reason === 'otherLocation' && location !== undefined) otherLocations.add(location);
  };

  const addresses = listing.addresses.filter((address) => {
    const reason = whyNotAddress(address, wanted);
    if (reason !== undefined) skip(reason, 1, address.location);
    return reason === undefined;
  });
  const pools = listing.pools.filter((pool) => {
    const places = placesOf(pool, wanted);
    for (const { reason, count } of places.unusable) skip(reason, count, pool.location);
    return places.usable > 0;
  });

  return {
    candidates: [
      ...addresses
        .toSorted((a, b) => preference(a, wanted) - preference(b, wanted) || compareIds(a, b))
        .map((address): Candidate => ({ kind: 'address', address })),
      ...pools.toSorted(compareIds).map((pool): Candidate => ({ kind: 'pool', pool })),
    ],
    matched: listing.addresses.length + listing.pools.reduce((sum, { total }) => sum + total, 0),
    skipped,
    otherLocations: [...otherLocations].toSorted(),
  };
}

/**
 * The choice in words for conditions and events, in counts only, so that it changes when the world does:
 * `3 match, 0 free: 2 attached, 1 in location us-west-2-lax-1`.
 */
export function explainSkipped(choice: CandidateChoice): string {
  const { matched, skipped, otherLocations } = choice;
  if (matched === 0) return 'no address matches';
  const unusable = skipped.attached + skipped.reserved + skipped.otherLocation + skipped.taken;
  const where = otherLocations.length === 1 ? `in location ${otherLocations.join('')}` : 'in other locations';
  const reasons = [
    counted(skipped.attached, 'attached'),
    counted(skipped.reserved, 'reserved by a service of the cloud'),
    counted(skipped.otherLocation, where),
    counted(skipped.taken, 'reserved by other claims'),
  ].filter((part) => part !== '');
  const summary = `${matched} ${matched === 1 ? 'matches' : 'match'}, ${matched - unusable} free`;
  return reasons.length === 0 ? summary : `${summary}: ${reasons.join(', ')}`;
}

function whyNotAddress(address: Address, wanted: Wanted): SkipReason | undefined {
  if (address.reserved !== undefined) return 'reserved';
  if (address.attachment !== undefined) return 'attached';
  if (isElsewhere(address, wanted)) return 'otherLocation';
  if (wanted.taken.has(address.id)) return 'taken';
  return undefined;
}

interface Places {
  readonly usable: number;
  readonly unusable: readonly { readonly reason: SkipReason; readonly count: number }[];
}

function placesOf(pool: Pool, wanted: Wanted): Places {
  if (isElsewhere(pool, wanted)) return { usable: 0, unusable: [{ reason: 'otherLocation', count: pool.total }] };
  const taken = Math.min(pool.free, wanted.takenPlaces?.get(pool.id) ?? 0);
  const unusable: Places['unusable'] = [
    { reason: 'attached', count: pool.total - pool.free },
    { reason: 'taken', count: taken },
  ];
  return { usable: pool.free - taken, unusable };
}

/** An unknown location on either side rules nothing out: the cloud has the last word. */
function isElsewhere({ location }: Pick<Address, 'location'>, wanted: Wanted): boolean {
  return location !== undefined && wanted.location !== undefined && location !== wanted.location;
}

function preference(address: Address, { preferIp }: Wanted): number {
  return address.ip === preferIp ? 0 : 1;
}

/** By code unit, not by locale: the same everywhere. */
function compareIds(a: { readonly id: string }, b: { readonly id: string }): number {
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

function counted(n: number, words: string): string {
  return n === 0 ? '' : `${n} ${words}`;
}
