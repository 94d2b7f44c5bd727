import type { Clock, RateLimit } from './ports.ts';

/** A token bucket that slows down when the other side refuses, and finds its way back. */
export interface TokenBucket {
  /** Waits for a token, first come first served. @throws the signal's reason; then no token is taken. */
  take(signal: AbortSignal): Promise<void>;
  /** The other side refused a call: others share its bucket, and it is empty now. */
  refused(): void;
  /** Tokens per second at present: at most the configured rate. */
  ratePerSecond(): number;
}

/** Refusals within this time are one: they come in bursts, for calls that were all sent before the first answer. */
const ONE_REFUSAL_MS = 1_000;
const SLOWED_TO = 0.5;
const SLOWEST = 0.1;
/** From half the rate to the whole in ten seconds. */
const RECOVERY_PER_SECOND = 0.05;

/** Makes a full bucket. The rate halves on a refusal (down to a tenth) and rises again, never above `limit`. */
export function createTokenBucket(clock: Clock, limit: RateLimit): TokenBucket {
  const waiting = new Set<PromiseWithResolvers<void>>();
  let tokens = limit.burst;
  let share = 1;
  let refilledMs = clock.monotonic();
  let refusedMs = -Infinity;
  let running: AbortController | undefined;

  const refill = (): void => {
    const seconds = (clock.monotonic() - refilledMs) / 1_000;
    refilledMs = clock.monotonic();
    const recovered = Math.min(1, share + RECOVERY_PER_SECOND * seconds);
    tokens = Math.min(limit.burst, tokens + ((share + recovered) / 2) * limit.perSecond * seconds);
    share = recovered;
  };

  const tryTake = (): boolean => {
    refill();
    // Sums of fractions fall short of 1 by rounding alone; a wait for that rest would be a needless wake-up.
    if (tokens < 1 - 1e-6) return false;
    tokens = Math.max(0, tokens - 1);
    return true;
  };

  const serve = async (signal: AbortSignal): Promise<void> => {
    for (const waiter of waiting) {
      while (waiting.has(waiter) && !tryTake()) {
        await clock.sleep(Math.ceil(((1 - tokens) / (share * limit.perSecond)) * 1_000), signal);
      }
      if (waiting.delete(waiter)) waiter.resolve();
    }
  };

  const run = async (): Promise<void> => {
    if (running !== undefined) return;
    running = new AbortController();
    const { signal } = running;
    try {
      await serve(signal);
    } catch (error) {
      // Only the last waiter's leaving aborts; any other failure of the clock is theirs to hear of.
      if (!signal.aborted) for (const waiter of waiting) waiter.reject(error);
    } finally {
      running = undefined;
      if (signal.aborted && waiting.size > 0) void run();
    }
  };

  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (waiting.size === 0 && tryTake()) return;
      const waiter = Promise.withResolvers<void>();
      const leave = (): void => {
        if (!waiting.delete(waiter)) return;
        waiter.reject(signal.reason);
        if (waiting.size === 0) running?.abort();
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(waiter);
      void run();
      await waiter.promise.finally(() => signal.removeEventListener('abort', leave));
    },
    refused: () => {
      refill();
      tokens = 0;
      if (clock.monotonic() - refusedMs < ONE_REFUSAL_MS) return;
      refusedMs = clock.monotonic();
      share = Math.max(SLOWEST, share * SLOWED_TO);
    },
    ratePerSecond: () => {
      refill();
      return share * limit.perSecond;
    },
  };
}
