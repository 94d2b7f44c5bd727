import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Random } from './clock.ts';

/** Node clears longer timers to 1 ms (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/* oxlint-disable no-restricted-properties -- this is the one place where real time and chance enter */

/** The real clock. Its monotonic time keeps counting while the process is stopped (SIGSTOP). */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    try {
      await wait(Math.min(Math.max(ms, 0), LONGEST_TIMER_MS), undefined, { signal });
    } catch (error) {
      // Node wraps the reason in its own AbortError; the port promises the reason itself.
      signal.throwIfAborted();
      throw error;
    }
  },
};

/** The real random source. */
export const systemRandom: Random = () => Math.random();
