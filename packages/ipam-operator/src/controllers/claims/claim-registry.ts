import { isDeepStrictEqual } from 'node:util';
import { targetRefKey } from '@static-ip/provider';
import { compareClaims } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';
import type { Rival } from '../../core/facts.ts';
import { createWaitingLine } from './waiting-line.ts';
import type { Waiter, WaitingLine } from './waiting-line.ts';

/** The claims of all sources as they are now, and how they stand to each other. */
export interface ClaimRegistry {
  get(key: string): Claim | undefined;
  keys(): readonly string[];
  all(): readonly Claim[];
  /** Takes in the claim's newest form; `at` is monotonic ms. Returns whether anything changed. */
  put(claim: Claim, at: number): boolean;
  remove(key: string): void;
  /** Other claims that ask for an address on the same target. */
  rivals(claim: Claim): readonly Rival[];
  /** An address came free at `at` (monotonic ms). */
  addressFreed(at: number): void;
  /**
   * When the claim was first taken in, or later an address came free, monotonic ms: from then on it may hope for what no
   * read has shown. Plus infinity for an unknown one.
   */
  hopefulSince(key: string): number;
  /** How long the claim has wanted nothing, ms. */
  unwantedForMs(key: string, now: number): number;
  /** The claim stands in this queue from now on; undefined: in none. */
  stand(key: string, queue: string | undefined): void;
  /** How many older claims stand in the queue. */
  ahead(claim: Claim, queue: string): number;
  /** The claims in the queues that `matches` accepts, oldest first. */
  waiting(matches: (queue: string) => boolean): readonly Claim[];
}

/** Makes an empty registry. */
export function createClaimRegistry(): ClaimRegistry {
  const claims = new Map<string, Claim>();
  const byTarget = new Map<string, Set<string>>();
  const seenSince = new Map<string, number>();
  const unwantedSince = new Map<string, number>();
  const lines = new Map<string, WaitingLine>();
  const standing = new Map<string, { readonly queue: string; readonly waiter: Waiter }>();
  let freedAt = -Infinity;

  const remove = (key: string): void => {
    const claim = claims.get(key);
    if (claim?.target !== undefined) dropFrom(byTarget, targetRefKey(claim.target), key);
    claims.delete(key);
    seenSince.delete(key);
    unwantedSince.delete(key);
    leave(key);
  };
  const leave = (key: string): void => {
    const place = standing.get(key);
    if (place === undefined) return;
    standing.delete(key);
    const line = lines.get(place.queue);
    line?.remove(place.waiter);
    if (line?.length === 0) lines.delete(place.queue);
  };
  const known = (keys: Iterable<string>): Claim[] =>
    [...keys].flatMap((key) => claims.get(key) ?? []).toSorted(compareClaims);

  return {
    get: (key) => claims.get(key),
    keys: () => [...claims.keys()],
    all: () => [...claims.values()],
    remove,
    put(claim, at) {
      const before = claims.get(claim.key);
      if (before !== undefined && isDeepStrictEqual(before, claim)) return false;
      if (before?.target !== undefined) dropFrom(byTarget, targetRefKey(before.target), claim.key);
      if (claim.target !== undefined) addTo(byTarget, targetRefKey(claim.target), claim.key);
      claims.set(claim.key, claim);
      if (before === undefined) seenSince.set(claim.key, at);
      if (claim.wanted.kind !== 'nothing') unwantedSince.delete(claim.key);
      else if (!unwantedSince.has(claim.key)) unwantedSince.set(claim.key, at);
      return true;
    },
    rivals(claim) {
      if (claim.target === undefined) return [];
      const keys = byTarget.get(targetRefKey(claim.target)) ?? [];
      return known(keys).filter((other) => other.key !== claim.key && asksForTarget(other));
    },
    addressFreed(at) {
      freedAt = at;
    },
    hopefulSince: (key) => Math.max(seenSince.get(key) ?? Infinity, freedAt),
    unwantedForMs(key, now) {
      const since = unwantedSince.get(key);
      return since === undefined ? 0 : now - since;
    },
    stand(key, queue) {
      const waiter = claims.get(key);
      const before = standing.get(key);
      if (before?.queue === queue && before?.waiter.createdAt === waiter?.createdAt) return;
      leave(key);
      if (queue === undefined || waiter === undefined) return;
      const line = lines.get(queue) ?? createWaitingLine();
      line.add(waiter);
      lines.set(queue, line);
      standing.set(key, { queue, waiter });
    },
    ahead: (claim, queue) => lines.get(queue)?.before(claim) ?? 0,
    waiting: (matches) => known([...lines].flatMap(([queue, { keys }]) => (matches(queue) ? keys : []))),
  };
}

function asksForTarget({ wanted }: Claim): boolean {
  return wanted.kind === 'select' || (wanted.kind === 'own' && wanted.ending === undefined);
}

function addTo(sets: Map<string, Set<string>>, name: string, key: string): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([key]));
  else set.add(key);
}

function dropFrom(sets: Map<string, Set<string>>, name: string, key: string): void {
  const set = sets.get(name);
  set?.delete(key);
  if (set?.size === 0) sets.delete(name);
}
