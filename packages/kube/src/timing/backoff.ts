import type { Random } from '../clock/clock.ts';

/** Pauses after failures in a row, in milliseconds: `baseMs` after the first, doubling, never above `maxMs`. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The pause after the `failures`-th failure in a row (1 = the first): spread by a quarter to either side, within [baseMs, maxMs]. */
export function backoffMs({ baseMs, maxMs }: Backoff, failures: number, random: Random): number {
  const fullMs = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.min(maxMs, Math.max(baseMs, fullMs * (0.75 + random() / 2)));
}

/** @throws RangeError unless 0 < baseMs <= maxMs. */
export function checkBackoff({ baseMs, maxMs }: Backoff): void {
  if (!(baseMs > 0 && baseMs <= maxMs)) {
    throw new RangeError(`back-off needs 0 < baseMs <= maxMs, not baseMs ${baseMs} and maxMs ${maxMs}`);
  }
}
