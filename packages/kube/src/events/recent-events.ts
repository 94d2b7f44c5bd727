import type { Clock } from '../clock/clock.ts';

/** Remembers which Events were written lately, so that one that repeats all the time costs few writes. */
export interface RecentEvents {
  /** Counts one more of this name: how many to write now; 0: it was written lately, count on. */
  due(name: string): number;
}

export interface RecentEventsOptions {
  readonly clock: Clock;
  readonly spacingMs: number;
  /** Names remembered; the one longest unused is forgotten first. */
  readonly max: number;
}

interface Recent {
  readonly writtenMs: number;
  readonly unwritten: number;
}

/** Makes an empty memory. */
export function createRecentEvents({ clock, spacingMs, max }: RecentEventsOptions): RecentEvents {
  const byName = new Map<string, Recent>();

  return {
    due: (name) => {
      const nowMs = clock.monotonic();
      const before = byName.get(name);
      const times = (before?.unwritten ?? 0) + 1;
      const isDue = before === undefined || nowMs - before.writtenMs >= spacingMs;
      // Deleted and set again: a Map is in order of insertion, so the first is the one longest unused.
      byName.delete(name);
      byName.set(name, isDue ? { writtenMs: nowMs, unwritten: 0 } : { writtenMs: before.writtenMs, unwritten: times });
      const [oldest] = byName.keys();
      if (byName.size > max && oldest !== undefined) byName.delete(oldest);
      return isDue ? times : 0;
    },
  };
}
