import { compareClaims } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';

/** What of a claim gives it its place. */
export type Waiter = Pick<Claim, 'key' | 'createdAt'>;

/** Claims that wait for the same addresses, the oldest first. */
export interface WaitingLine {
  add(waiter: Waiter): void;
  /** Takes out what was added as this. */
  remove(waiter: Waiter): void;
  /** How many stand before this one, which need not be in the line. */
  before(waiter: Waiter): number;
  readonly keys: readonly string[];
  /** The keys of the first so many. */
  first(count: number): readonly string[];
  readonly length: number;
}

/**
 * Makes an empty line. Every claim that waits asks for its place again and again: that is a binary search, not a sorting
 * of all who wait.
 */
export function createWaitingLine(): WaitingLine {
  const line: Waiter[] = [];

  const placeOf = (waiter: Waiter): number => {
    let low = 0;
    let high = line.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = line[middle];
      if (other !== undefined && compareClaims(other, waiter) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    add: (waiter) => void line.splice(placeOf(waiter), 0, waiter),
    remove: (waiter) => {
      const place = placeOf(waiter);
      if (line[place]?.key === waiter.key) line.splice(place, 1);
    },
    before: placeOf,
    first: (count) => line.slice(0, count).map(({ key }) => key),
    get keys() {
      return line.map(({ key }) => key);
    },
    get length() {
      return line.length;
    },
  };
}
