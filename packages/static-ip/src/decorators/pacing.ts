import type { Clock } from '../ports.ts';

/** When the next read of a series may start. */
export interface Pacing {
  /** How long to wait before the next start, in ms; 0: at once. In a hurry the pause is short, but never none. */
  pauseMs(isUrgent?: boolean): number;
  /** To be called at each start. */
  started(): void;
  /** True when nothing is remembered: the next start would be the first of a new series. */
  isIdle(): boolean;
}

/** Two starts are so far apart even when somebody is in a hurry, ms: many who are, one after the other, share reads too. */
const URGENT_SPACING_MS = 150;

/**
 * Spaces the starts of a series of reads: the first goes at once, the second `spacingMs[0]` after the start of the first,
 * and so on; the last pause repeats. A series ends after an idle time of twice its next pause (a pause of 0 counts as
 * the first longer one, or a caller that reads one after another would never be slowed).
 */
export function createPacing(clock: Clock, spacingMs: readonly number[]): Pacing {
  let lastStartMs = -Infinity;
  let starts = 0;

  const isIdle = (): boolean => {
    const nextMs = spacingMs.slice(starts - 1).find((ms) => ms > 0) ?? spacingMs.at(-1) ?? 0;
    return starts === 0 || clock.monotonic() - lastStartMs >= 2 * nextMs;
  };

  return {
    isIdle,
    pauseMs: (isUrgent = false) => {
      if (isIdle()) return 0;
      const spacing = spacingMs[starts - 1] ?? spacingMs.at(-1) ?? 0;
      const pause = isUrgent ? Math.min(spacing, URGENT_SPACING_MS) : spacing;
      return Math.max(0, lastStartMs + pause - clock.monotonic());
    },
    started: () => {
      starts = isIdle() ? 1 : starts + 1;
      lastStartMs = clock.monotonic();
    },
  };
}
