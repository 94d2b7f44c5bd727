import type { Clock } from '../clock/clock.ts';

/** One alarm at a time. */
export interface WakeUp {
  /** Rings at `atMs` on the monotonic clock instead of at any time set before; undefined: not at all. */
  set(atMs: number | undefined): void;
}

interface Alarm {
  readonly atMs: number;
  readonly stop: AbortController;
}

/** Makes an alarm that calls `ring`. */
export function createWakeUp(clock: Clock, ring: () => void): WakeUp {
  let armed: Alarm | undefined;

  const wait = async (mine: Alarm): Promise<void> => {
    try {
      await clock.sleep(Math.max(0, mine.atMs - clock.monotonic()), mine.stop.signal);
    } catch {
      return; // set to another time
    }
    if (armed === mine) armed = undefined;
    ring();
  };

  return {
    set: (atMs) => {
      if (armed?.atMs === atMs) return;
      armed?.stop.abort();
      armed = undefined;
      if (atMs === undefined) return;
      const mine = { atMs, stop: new AbortController() };
      armed = mine;
      void wait(mine);
    },
  };
}
