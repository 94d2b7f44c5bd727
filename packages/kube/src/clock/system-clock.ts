import type { Clock, Random } from './clock.ts';

/** Node clears longer timers to 1 ms (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/* oxlint-disable no-restricted-properties, no-restricted-globals -- this is the one place where real time and chance enter */

/** The real clock. Its monotonic time keeps counting while the process is stopped (SIGSTOP). */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Most sleeps are cut off, as deadlines of what ends in time: that must cost nothing, such as an error with a stack.
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(Math.max(ms, 0), LONGEST_TIMER_MS),
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    return promise;
  },
};

/** The real random source. */
export const systemRandom: Random = () => Math.random();
