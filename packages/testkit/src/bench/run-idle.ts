import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessUsage } from '../subject/process-usage.ts';
import type { BenchWorld } from './bench-world.ts';
import { freeLeases } from './clear-cluster.ts';
import { createObjects } from './create-objects.ts';
import { percentile } from './percentile.ts';
import { nodeRecord } from './record.ts';
import type { BenchRecord } from './record.ts';
import type { RunOptions } from './run-burst.ts';
import type { Subject } from './subject.ts';
import { untilAllRight } from './until-all-right.ts';
import { addNodes } from './world.ts';
import { watchStatuses } from './watch-statuses.ts';
import type { StatusWatch } from './watch-statuses.ts';

export interface IdleOptions extends RunOptions {
  /** How many nodes come, one after the other. */
  readonly repetitions: number;
}

const DEFAULT_TIMEOUT_SECONDS = 60;
/** Between two nodes the subject is left alone, so that each finds it idle. */
const PAUSE_MS = 1_000;
const STARTS = 3;

/**
 * One node at a time for a subject that runs and is idle. The calls of the record are those for the last node.
 * @throws Error when a node takes too long
 */
export async function runIdle(world: BenchWorld, subject: Subject, options: IdleOptions): Promise<BenchRecord> {
  await world.reset();
  const all = await addNodes(world.emulator.controls, { first: 1, count: options.repetitions });
  const watch = await watchStatuses(world.cluster);
  const running = await subject.start();
  const timeoutSeconds = options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const latenciesSeconds: number[] = [];
  let violations = 0;
  const { controls } = world.emulator;
  try {
    await sleep(options.warmUpSeconds * 1000, undefined, { signal: world.signal });
    for (const [index, node] of all.entries()) {
      const nodes = [node];
      await sleep(PAUSE_MS, undefined, { signal: world.signal });
      violations += (await controls.violations()).length;
      await controls.forget();
      const sentAtMs = await createObjects(world.cluster.api, nodes);
      const awaited = { nodes, watch, running, timeoutSeconds, progress: () => undefined };
      const rightAtMs = await untilAllRight(world, awaited);
      latenciesSeconds.push(secondsBetween(sentAtMs, rightAtMs, node.name));
      options.progress(`1 node: ${index + 1} of ${options.repetitions}`);
    }
    return nodeRecord({
      subject: subject.name,
      n: 1,
      seconds: percentile(latenciesSeconds, 50),
      floorSeconds: 0,
      latenciesSeconds,
      counts: await controls.counts(),
      violations: violations + (await controls.violations()).length,
      usage: readProcessUsage(running.pid),
    });
  } finally {
    await running.stop(10_000);
    await watch.close();
  }
}

function secondsBetween(from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>, name: string): number {
  return ((to.get(name) ?? Number.NaN) - (from.get(name) ?? Number.NaN)) / 1000;
}

/** Seconds from the start of the process to the first right status, the Lease being free; one for each start. */
export async function measureStarts(
  world: BenchWorld,
  subject: Subject,
  options: RunOptions,
): Promise<readonly number[]> {
  await world.reset();
  const watch = await watchStatuses(world.cluster);
  const seconds: number[] = [];
  try {
    for (let start = 1; start <= STARTS; start++) {
      options.progress(`start ${start} of ${STARTS}`);
      seconds.push(await measureStart(world, subject, { ...options, watch, first: start }));
    }
    return seconds;
  } finally {
    await watch.close();
  }
}

async function measureStart(
  world: BenchWorld,
  subject: Subject,
  { watch, first, ...options }: RunOptions & { readonly watch: StatusWatch; readonly first: number },
): Promise<number> {
  const nodes = await addNodes(world.emulator.controls, { first, count: 1 });
  await freeLeases(world.cluster.api);
  await createObjects(world.cluster.api, nodes);
  const startedMs = Date.now();
  const running = await subject.start();
  try {
    const timeoutSeconds = options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    const awaited = { nodes, watch, running, timeoutSeconds, progress: () => undefined };
    const right = await untilAllRight(world, awaited);
    return (Math.max(...right.values()) - startedMs) / 1000;
  } finally {
    await running.stop(10_000);
  }
}
