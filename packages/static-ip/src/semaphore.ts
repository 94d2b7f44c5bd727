/** Lets a number of holders in at a time, first come first served. */
export interface Semaphore {
  /** Runs `work` when there is room. @throws the signal's reason when it aborts before that. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

/** Makes a semaphore for `places` holders. */
export function createSemaphore(places: number): Semaphore {
  const waiting = new Set<() => void>();
  let free = places;

  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      if (waiting.delete(resolve)) reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    waiting.add(resolve);
    await promise.finally(() => signal.removeEventListener('abort', leave));
  };

  /** The place goes straight to the next in line, so that nobody can slip in between. */
  const exit = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    run: async (work, signal) => {
      await enter(signal);
      try {
        return await work();
      } finally {
        exit();
      }
    },
  };
}
