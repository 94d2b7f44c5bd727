import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessUsage } from '../subject/process-usage.ts';
import type { BenchWorld } from './bench-world.ts';
import { createObjects } from './create-objects.ts';
import { floorSeconds } from './floor.ts';
import type { Progress } from './progress.ts';
import { nodeRecord } from './record.ts';
import type { BenchRecord } from './record.ts';
import type { Subject } from './subject.ts';
import { untilAllRight } from './until-all-right.ts';
import { addNodes } from './world.ts';
import type { BenchNode } from './world.ts';
import { watchStatuses } from './watch-statuses.ts';

export interface RunOptions {
  /** What a subject gets after its start to become idle. */
  readonly warmUpSeconds: number;
  readonly timeoutSeconds: number | undefined;
  readonly progress: Progress;
}

/** Nodes that all have their address, and the measurement of how they got there. */
export interface BurstResult {
  readonly record: BenchRecord;
  readonly nodes: readonly BenchNode[];
}

/**
 * Creates `n` nodes at once for a subject that runs and is idle, and waits until the last has its address. The subject is
 * stopped afterwards; the world stays as it is.
 * @throws Error when that takes too long, with what is missing
 */
export async function runBurst(
  world: BenchWorld,
  subject: Subject,
  options: RunOptions & { readonly n: number },
): Promise<BurstResult> {
  const { cluster, emulator, signal } = world;
  const { n, progress } = options;
  progress(`${n} nodes: making instances and addresses`);
  await world.reset();
  const nodes = await addNodes(emulator.controls, { first: 1, count: n });
  const watch = await watchStatuses(cluster);
  const running = await subject.start();
  try {
    await sleep(options.warmUpSeconds * 1000, undefined, { signal });
    await emulator.controls.forget();
    const floor = floorSeconds(n, world.bucketSpeed);
    const timeoutSeconds = options.timeoutSeconds ?? 3 * floor + 60;
    const startedMs = Date.now();
    const [createdAtMs, rightAtMs] = await Promise.all([
      createObjects(cluster.api, nodes),
      untilAllRight(world, { nodes, watch, running, timeoutSeconds, progress }),
    ]);
    const latenciesSeconds = nodes.map(
      ({ name }) => ((rightAtMs.get(name) ?? Number.NaN) - (createdAtMs.get(name) ?? Number.NaN)) / 1000,
    );
    const record = nodeRecord({
      subject: subject.name,
      n,
      seconds: (Math.max(...rightAtMs.values()) - startedMs) / 1000,
      floorSeconds: floor,
      latenciesSeconds,
      counts: await emulator.controls.counts(),
      violations: (await emulator.controls.violations()).length,
      usage: readProcessUsage(running.pid),
    });
    return { record, nodes };
  } finally {
    await running.stop(10_000);
    await watch.close();
  }
}
