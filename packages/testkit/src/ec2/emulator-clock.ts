import { setTimeout as wait } from 'node:timers/promises';

/** Time as the emulator needs it; a manual or simulated clock fits too. */
export interface EmulatorClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const MACHINE_CLOCK: EmulatorClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }),
};
