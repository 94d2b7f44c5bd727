import { setTimeout as sleep } from 'node:timers/promises';
import { MANAGED } from '../../world/eip-world.ts';
import type { BenchWorld } from '../bench-world.ts';
import { REFILL_SECONDS } from '../floor.ts';
import { keepRecord } from '../outcome.ts';
import type { OneRun, Outcome } from '../outcome.ts';
import { runBurst } from '../run-burst.ts';
import { targetsOf } from '../targets.ts';
import { createEips, createPods } from './create-pods.ts';
import { podClaimants } from './pod-claimants.ts';
import { addPodPlaces } from './pod-places.ts';
import { runFollow } from './run-follow.ts';

/** Pods named by Eips: they come, which is not measured, and then all come back elsewhere, each to its own address. */
export async function followPods(run: OneRun, outcome: Outcome): Promise<void> {
  const { world, subject, options } = run;
  options.progress(`${options.n} pods: making instances`);
  await world.reset();
  const { first, later } = await addPodPlaces(world, options.n);
  const claimants = podClaimants(world, first);
  const create = async (): Promise<ReadonlyMap<string, number>> => {
    await createEips(world.cluster.api, first);
    return createPods(world.cluster.api, first, MANAGED);
  };
  await runBurst(world, subject, { ...options, flow: 'eip-create', claimants, create });
  const kept = await addressesBy(world);
  // What the first part has used of the cloud's request budget would be missing in the second.
  await sleep((REFILL_SECONDS / world.bucketSpeed) * 1000, undefined, { signal: world.signal });
  const record = await runFollow(world, subject, { ...options, later, kept });
  await keepRecord(run, { record, targets: targetsOf(record, world.bucketSpeed) }, outcome);
}

/** Allocation id by name of the Eip. */
async function addressesBy({ emulator }: BenchWorld): Promise<ReadonlyMap<string, string>> {
  const { addresses } = await emulator.controls.snapshot();
  return new Map(
    addresses.map(({ allocationId, tags }) => [tags['eip.materialize.cloud/eip_name'] ?? '', allocationId]),
  );
}
