import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../cluster/server-process.ts';
import { readProcessUsage } from '../subject/process-usage.ts';
import type { BenchWorld } from './bench-world.ts';
import type { Claimants } from './claimants.ts';
import { floorSeconds } from './floor.ts';
import type { Progress } from './progress.ts';
import { benchRecord } from './record.ts';
import type { BenchFlow, BenchRecord } from './record.ts';
import type { Subject } from './subject.ts';
import type { Waiting } from './until.ts';
import { watchAddresses } from './watch-addresses.ts';

export interface RunOptions {
  /** What a subject gets after its start to become idle. */
  readonly warmUpSeconds: number;
  readonly timeoutSeconds: number | undefined;
  readonly progress: Progress;
}

/** Times of all claimants by name, in milliseconds since the epoch: when the wish was sent, and when it was fulfilled. */
export interface Times {
  readonly sentAtMs: ReadonlyMap<string, number>;
  readonly doneAtMs: ReadonlyMap<string, number>;
}

interface Measured extends RunOptions {
  readonly flow: BenchFlow;
  readonly claimants: Claimants;
}

/**
 * Starts the subject, gives it time to become idle, and measures how long what `act` asks of it takes. The subject is
 * stopped afterwards; the world stays as it is. @throws what `act` throws, as when it takes too long
 */
export async function measure(
  world: BenchWorld,
  subject: Subject,
  { flow, claimants, ...options }: Measured & { readonly act: (waiting: Waiting) => Promise<Times> },
): Promise<BenchRecord> {
  const n = claimants.names.length;
  const floor = floorSeconds(n, world.bucketSpeed);
  const { controls } = world.emulator;
  const watch = await watchAddresses(world.cluster, claimants.watched);
  try {
    return await whileRunning(world, { subject, warmUpSeconds: options.warmUpSeconds }, async (running) => {
      await controls.forget();
      const timeoutSeconds = options.timeoutSeconds ?? 3 * floor + 60;
      const startedMs = Date.now();
      const { sentAtMs, doneAtMs } = await options.act({ watch, running, timeoutSeconds });
      const latencies = claimants.names.map(
        (name) => ((doneAtMs.get(name) ?? Number.NaN) - (sentAtMs.get(name) ?? Number.NaN)) / 1000,
      );
      return benchRecord({
        subject: subject.name,
        flow,
        n,
        seconds: (Math.max(...doneAtMs.values()) - startedMs) / 1000,
        floorSeconds: floor,
        latenciesSeconds: latencies,
        counts: await controls.counts(),
        violations: (await controls.violations()).length,
        usage: readProcessUsage(running.pid),
      });
    });
  } finally {
    await watch.close();
  }
}

interface Started {
  readonly subject: Subject;
  readonly warmUpSeconds: number;
}

/** Runs `work` while the subject does, from when it has become idle. */
export async function whileRunning<T>(
  { signal }: BenchWorld,
  { subject, warmUpSeconds }: Started,
  work: (running: ServerProcess) => Promise<T>,
): Promise<T> {
  const running = await subject.start();
  try {
    await sleep(warmUpSeconds * 1000, undefined, { signal });
    return await work(running);
  } finally {
    await running.stop(10_000);
  }
}
