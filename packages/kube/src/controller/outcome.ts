/** How one reconcile ended. An error may also just be thrown. */
export type Outcome =
  /** Nothing to do until something changes. */
  | { readonly kind: 'settled' }
  /** Look again after a known time (0: at once); not a failure. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Failed: look again after a back-off, or `retryAfterMs` if longer. */
  | { readonly kind: 'error'; readonly error: unknown; readonly retryAfterMs?: number | undefined };

/** Nothing to do until something changes. */
export const settled: Outcome = { kind: 'settled' };

/** Look again after `afterMs` milliseconds. */
export function again(afterMs: number): Outcome {
  return { kind: 'again', afterMs };
}

/** Failed with `error`: look again after a back-off. */
export function failed(error: unknown, retryAfterMs?: number): Outcome {
  return { kind: 'error', error, retryAfterMs };
}
