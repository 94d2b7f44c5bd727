import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessUsage } from '../../subject/process-usage.ts';
import type { BenchWorld } from '../bench-world.ts';
import { freeLeases } from '../clear-cluster.ts';
import { whileRunning } from '../measure.ts';
import type { RunOptions } from '../measure.ts';
import { percentile } from '../percentile.ts';
import { benchRecord } from '../record.ts';
import type { BenchRecord } from '../record.ts';
import type { Subject } from '../subject.ts';
import { untilAllRight } from '../until-all-right.ts';
import type { Waiting } from '../until.ts';
import { watchAddresses } from '../watch-addresses.ts';
import { createNodes } from './create-nodes.ts';
import { nodeClaimants } from './node-claimants.ts';
import { addNodes } from './world.ts';
import type { BenchNode } from './world.ts';

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
  const { controls } = world.emulator;
  const { warmUpSeconds } = options;
  await world.reset();
  const all = await addNodes(controls, { first: 1, count: options.repetitions });
  const watch = await watchAddresses(world.cluster, nodeClaimants(controls, all).watched);
  const timeoutSeconds = options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const latenciesSeconds: number[] = [];
  let violations = 0;
  try {
    return await whileRunning(world, { subject, warmUpSeconds }, async (running) => {
      for (const [index, node] of all.entries()) {
        await sleep(PAUSE_MS, undefined, { signal: world.signal });
        violations += (await controls.violations()).length;
        await controls.forget();
        latenciesSeconds.push(await latencyOf(world, node, { watch, running, timeoutSeconds }));
        options.progress(`1 node: ${index + 1} of ${options.repetitions}`);
      }
      return benchRecord({
        subject: subject.name,
        flow: 'node',
        n: 1,
        seconds: percentile(latenciesSeconds, 50),
        floorSeconds: 0,
        latenciesSeconds,
        counts: await controls.counts(),
        violations: violations + (await controls.violations()).length,
        usage: readProcessUsage(running.pid),
      });
    });
  } finally {
    await watch.close();
  }
}

/** Seconds from the create of a node until its status is right. */
async function latencyOf(world: BenchWorld, node: BenchNode, waiting: Waiting): Promise<number> {
  const sentAtMs = await createNodes(world.cluster.api, [node]);
  const claimants = nodeClaimants(world.emulator.controls, [node]);
  const rightAtMs = await untilAllRight(world, { ...waiting, claimants, progress: () => undefined });
  return ((rightAtMs.get(node.name) ?? Number.NaN) - (sentAtMs.get(node.name) ?? Number.NaN)) / 1000;
}

/** Seconds from the start of the process to the first right status, the Lease being free; one for each start. */
export async function measureStarts(
  world: BenchWorld,
  subject: Subject,
  options: RunOptions,
): Promise<readonly number[]> {
  await world.reset();
  const seconds: number[] = [];
  for (let start = 1; start <= STARTS; start++) {
    options.progress(`start ${start} of ${STARTS}`);
    seconds.push(await measureStart(world, subject, { ...options, first: start }));
  }
  return seconds;
}

async function measureStart(
  world: BenchWorld,
  subject: Subject,
  { first, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: RunOptions & { readonly first: number },
): Promise<number> {
  const { cluster, emulator } = world;
  const nodes = await addNodes(emulator.controls, { first, count: 1 });
  const claimants = nodeClaimants(emulator.controls, nodes);
  await freeLeases(cluster.api);
  await createNodes(cluster.api, nodes);
  const watch = await watchAddresses(cluster, claimants.watched);
  const startedMs = Date.now();
  try {
    return await whileRunning(world, { subject, warmUpSeconds: 0 }, async (running) => {
      const waiting = { claimants, watch, running, timeoutSeconds, progress: () => undefined };
      return (Math.max(...(await untilAllRight(world, waiting)).values()) - startedMs) / 1000;
    });
  } finally {
    await watch.close();
  }
}
