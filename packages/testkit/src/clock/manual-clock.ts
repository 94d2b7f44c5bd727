import { setImmediate as nextTurn } from 'node:timers/promises';

/** A clock that only moves when a test says so. Satisfies the clock port of the product packages. */
export interface ManualClock {
  /** Wall-clock milliseconds since the Unix epoch; `skewWall` moves it alone. */
  now(): number;
  /** Milliseconds since this clock was made; never goes back. */
  monotonic(): number;
  /**
   * Waits until the clock was advanced past the due time. A sleep of 0 (or less) is due at once, but wakes only
   * in the next `advance`, so that a loop sleeping 0 ms cannot run away between two steps of a test.
   * @throws the signal's reason when the signal is, or becomes, aborted.
   */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Moves both clocks by `ms`, waking sleepers in order of due time (then of calling). After each one everything that
   * can run without time passing does run, so that a loop that sleeps again is woken again within one `advance`.
   * @throws Error when 10,000 sleepers wake without time moving: that is a loop that sleeps 0 ms for ever.
   */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone, as an NTP step or a suspended machine would. */
  skewWall(ms: number): void;
  /** The number of sleepers that still wait. */
  pending(): number;
}

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

const MAX_WAKES_PER_INSTANT = 10_000;

/** Makes a manual clock whose wall time starts at `startMs` (milliseconds since the epoch) and monotonic time at 0. */
export function createManualClock({ startMs }: { readonly startMs: number }): ManualClock {
  // In order of calling; Array.sort is stable, so equal due times keep that order.
  let sleepers: readonly Sleeper[] = [];
  let elapsedMs = 0;
  let skewMs = 0;

  const drop = (sleeper: Sleeper): void => {
    sleepers = sleepers.filter((other) => other !== sleeper);
  };

  const sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal.aborted) {
      reject(signal.reason);
      return promise;
    }
    const onAbort = (): void => {
      drop(sleeper);
      reject(signal.reason);
    };
    const sleeper: Sleeper = {
      dueMs: elapsedMs + Math.max(0, ms),
      wake: () => {
        signal.removeEventListener('abort', onAbort);
        drop(sleeper);
        resolve();
      },
    };
    signal.addEventListener('abort', onAbort, { once: true });
    sleepers = [...sleepers, sleeper];
    return promise;
  };

  const nextDue = (untilMs: number): Sleeper | undefined =>
    sleepers.filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0];

  const advance = async (ms: number): Promise<void> => {
    if (!(ms >= 0)) throw new RangeError(`cannot advance a clock by ${ms} ms: time only moves forward`);
    const untilMs = elapsedMs + ms;
    let wakes = 0;
    await settle();
    for (let due = nextDue(untilMs); due !== undefined; due = nextDue(untilMs)) {
      wakes = due.dueMs > elapsedMs ? 1 : wakes + 1;
      if (wakes > MAX_WAKES_PER_INSTANT)
        throw new Error(`${wakes} sleepers woke at ${elapsedMs} ms: a loop sleeps 0 ms`);
      elapsedMs = Math.max(elapsedMs, due.dueMs);
      due.wake();
      await settle();
    }
    elapsedMs = untilMs;
  };

  return {
    now: () => startMs + elapsedMs + skewMs,
    monotonic: () => elapsedMs,
    sleep,
    advance,
    skewWall: (ms) => {
      skewMs += ms;
    },
    pending: () => sleepers.length,
  };
}

/** A turn of the event loop drains all promise jobs; more than one, for code that itself defers by a turn. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}
