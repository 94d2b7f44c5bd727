/** Runs work, at most so many at once, first come first served. Waiting ends with the signal's reason when it aborts. */
export type Limiter = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Makes a limiter for `max` pieces of work at once. @throws RangeError unless `max` is a positive integer. */
export function createLimiter(max: number): Limiter {
  if (!Number.isInteger(max) || max < 1) throw new RangeError(`a limit must be a positive integer, not ${max}`);
  let running = 0;
  const waiting = new Set<() => void>();

  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (running < max) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      waiting.delete(start);
      reject(signal.reason);
    };
    const start = (): void => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    waiting.add(start);
    signal.addEventListener('abort', onAbort, { once: true });
    await promise;
  };

  /** Hands the place to the next in line, so that nobody can slip in between. */
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return async (work, signal) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
