import type { BenchWorld } from './bench-world.ts';
import type { Claimants } from './claimants.ts';
import { measure } from './measure.ts';
import type { RunOptions } from './measure.ts';
import type { BenchFlow, BenchRecord } from './record.ts';
import type { Subject } from './subject.ts';
import { untilAllRight } from './until-all-right.ts';

export interface Burst extends RunOptions {
  readonly flow: BenchFlow;
  readonly claimants: Claimants;
  /** Creates what asks for the addresses, all at once; answers when each was sent, in milliseconds since the epoch. */
  readonly create: () => Promise<ReadonlyMap<string, number>>;
}

/** Creates all claimants at once for a subject that is idle, and waits until the last has its address. */
export function runBurst(world: BenchWorld, subject: Subject, burst: Burst): Promise<BenchRecord> {
  const { create, ...options } = burst;
  return measure(world, subject, {
    ...options,
    act: async (waiting) => {
      const [sentAtMs, doneAtMs] = await Promise.all([create(), untilAllRight(world, { ...options, ...waiting })]);
      return { sentAtMs, doneAtMs };
    },
  });
}
