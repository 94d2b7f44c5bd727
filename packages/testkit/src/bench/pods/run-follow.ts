import { MANAGED } from '../../world/eip-world.ts';
import type { BenchWorld } from '../bench-world.ts';
import { measure } from '../measure.ts';
import type { RunOptions, Times } from '../measure.ts';
import type { BenchRecord } from '../record.ts';
import type { Subject } from '../subject.ts';
import { until } from '../until.ts';
import type { Waiting } from '../until.ts';
import { untilAllRight } from '../until-all-right.ts';
import { createPods, deletePods } from './create-pods.ts';
import { podClaimants } from './pod-claimants.ts';
import type { BenchPod } from './pod-places.ts';

interface Follow extends RunOptions {
  /** Where the pods come back. */
  readonly later: readonly BenchPod[];
  /** Allocation id by pod name: each is to keep its address. */
  readonly kept: ReadonlyMap<string, string>;
}

/**
 * Deletes all pods at once, and creates each again under its name as soon as it is gone, as a StatefulSet does: with
 * another uid, on another node, under another private address. Waits until each has its address back.
 */
export function runFollow(
  world: BenchWorld,
  subject: Subject,
  { later, kept, ...options }: Follow,
): Promise<BenchRecord> {
  const { api } = world.cluster;
  const claimants = podClaimants(world, later, kept);
  const act = async (waiting: Waiting): Promise<Times> => {
    const [sentAtMs] = await Promise.all([deletePods(api, later), recreate(world, waiting, { later, ...options })]);
    const doneAtMs = await untilAllRight(world, { ...waiting, claimants, progress: options.progress });
    return { sentAtMs, doneAtMs };
  };
  return measure(world, subject, { ...options, flow: 'eip-follow', claimants, act });
}

async function recreate(
  world: BenchWorld,
  waiting: Waiting,
  { later, progress }: Pick<Follow, 'later' | 'progress'>,
): Promise<void> {
  const left = new Set(later);
  await until(
    { ...waiting, world },
    async (seconds) => {
      const gone = [...left].filter(({ name }) => waiting.watch.gone.has(name));
      await createPods(world.cluster.api, gone, MANAGED);
      for (const pod of gone) left.delete(pod);
      progress(`${later.length} pods: ${later.length - left.size} are back, ${seconds.toFixed(0)} s`);
      return left.size === 0 ? true : undefined;
    },
    async (seconds) => new Error(`after ${seconds.toFixed(0)} s ${left.size} of ${later.length} pods are not gone yet`),
  );
}
