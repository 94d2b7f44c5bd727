import type { Clock } from '../clock/clock.ts';

/** So many per second on average, after a burst. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Makes a function that resolves when the rate allows one more. It throws the signal's reason. */
export function createTokenBucket({ perSecond, burst }: Rate, clock: Clock): (signal: AbortSignal) => Promise<void> {
  if (!(perSecond > 0 && burst >= 1)) {
    throw new RangeError(`a rate needs perSecond > 0 and burst >= 1, not ${perSecond} and ${burst}`);
  }
  let tokens = burst;
  let countedMs = clock.monotonic();

  return async (signal) => {
    signal.throwIfAborted();
    const nowMs = clock.monotonic();
    tokens = Math.min(burst, tokens + ((nowMs - countedMs) / 1_000) * perSecond);
    countedMs = nowMs;
    // May go below zero: later callers wait for those before them.
    tokens -= 1;
    if (tokens < 0) await clock.sleep((-tokens / perSecond) * 1_000, signal);
  };
}
