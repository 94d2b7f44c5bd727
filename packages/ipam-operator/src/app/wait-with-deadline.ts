import type { Clock } from '@static-ip/provider';

/**
 * Waits for `work` to end. Once `signal` has aborted it is waited for so long at most; then `onLate` is called and the
 * work is left alone: nothing it still does can pass its aborted signals.
 */
export async function waitWithDeadline(
  work: Promise<void>,
  signal: AbortSignal,
  { clock, deadlineMs, onLate }: { readonly clock: Clock; readonly deadlineMs: number; readonly onLate: () => void },
): Promise<void> {
  const finished = new AbortController();
  const late = aborted(signal, finished.signal).then(async () => {
    if (finished.signal.aborted) return;
    await clock.sleep(deadlineMs, finished.signal).then(onLate, () => {
      // The work ended first.
    });
  });
  try {
    await Promise.race([work, late]);
  } finally {
    finished.abort();
  }
}

/** Resolves when either signal aborts. */
function aborted(first: AbortSignal, second: AbortSignal): Promise<void> {
  const either = AbortSignal.any([first, second]);
  return new Promise((resolve) => {
    if (either.aborted) resolve();
    either.addEventListener('abort', () => resolve(), { once: true });
  });
}
