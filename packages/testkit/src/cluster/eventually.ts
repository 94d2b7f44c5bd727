import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  readonly timeoutMs: number;
  /** Pause between two tries; default 20 ms. */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Tries `attempt` until it neither throws nor answers `false`, and answers what it answered: an assertion and a
 * predicate both work. For state of the real world; a unit test has the manual clock.
 * @throws Error when the time is over, with the last failure in its message and as its cause; the signal's reason.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { timeoutMs, intervalMs = 20, signal }: EventuallyOptions,
): Promise<Exclude<T, false>> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const outcome = await tryOnce(attempt);
    if (outcome.ok) return outcome.value;
    if (performance.now() > deadlineMs) {
      const { failure } = outcome;
      const last = failure instanceof Error ? failure.message : String(failure);
      throw new Error(`not within ${timeoutMs} ms: ${last}`, { cause: failure });
    }
    await sleep(intervalMs);
    signal?.throwIfAborted();
  }
}

type Outcome<T> = { readonly ok: true; readonly value: Exclude<T, false> } | { readonly ok: false; failure: unknown };

async function tryOnce<T>(attempt: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await attempt();
    return isYes(value) ? { ok: true, value } : { ok: false, failure: 'the predicate is false' };
  } catch (failure) {
    return { ok: false, failure };
  }
}

function isYes<T>(value: T): value is Exclude<T, false> {
  return value !== false;
}
