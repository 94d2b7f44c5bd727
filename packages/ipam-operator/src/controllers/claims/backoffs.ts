import type { Random } from '@static-ip/provider';

const BASE_MS = 1_000;

/** A leftover of a dead instance costs one call in five minutes, and is never given up. */
const MAX_MS = 300_000;

/** Per claim, how long to leave it alone after it could not be served; a resync does not shorten it. */
export interface Backoffs {
  /** Counts a failure at `now` (monotonic ms) and returns the pause: doubling, with up to a tenth of jitter. */
  next(claimKey: string, now: number): number;
  /** What is left of the pause, ms; 0 when there is none. */
  remainingMs(claimKey: string, now: number): number;
  /** The claim was served or has changed. */
  reset(claimKey: string): void;
}

/** Makes the memory; no claim is paused. */
export function createBackoffs(random: Random): Backoffs {
  const pauses = new Map<string, { readonly failures: number; readonly until: number }>();
  return {
    next(claimKey, now) {
      const failures = (pauses.get(claimKey)?.failures ?? 0) + 1;
      const pause = Math.min(BASE_MS * 2 ** (failures - 1), MAX_MS) * (1 + random() / 10);
      pauses.set(claimKey, { failures, until: now + pause });
      return pause;
    },
    remainingMs: (claimKey, now) => Math.max(0, (pauses.get(claimKey)?.until ?? 0) - now),
    reset(claimKey) {
      pauses.delete(claimKey);
    },
  };
}
