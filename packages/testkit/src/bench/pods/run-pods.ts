import { AUTOCREATED } from '../../world/eip-world.ts';
import { keepRecord, keepSettled } from '../outcome.ts';
import type { OneRun, Outcome } from '../outcome.ts';
import { runBurst } from '../run-burst.ts';
import { runSettled } from '../run-settled.ts';
import { targetsOf, settledTargets } from '../targets.ts';
import { createPods } from './create-pods.ts';
import { podClaimants } from './pod-claimants.ts';
import { addPodPlaces } from './pod-places.ts';
import { runDeletion } from './run-deletion.ts';

/** Pods with an Eip of their own: they come all at once, and later go all at once. */
export async function runPods(run: OneRun, outcome: Outcome): Promise<void> {
  const { world, subject, options } = run;
  options.progress(`${options.n} pods: making instances`);
  await world.reset();
  const { first: pods } = await addPodPlaces(world, options.n);
  const claimants = podClaimants(world, pods);
  const create = (): Promise<ReadonlyMap<string, number>> => createPods(world.cluster.api, pods, AUTOCREATED);
  const created = await runBurst(world, subject, { ...options, flow: 'eip-create', claimants, create });
  await keepRecord(run, { record: created, targets: targetsOf(created, world.bucketSpeed) }, outcome);
  if (options.settled) {
    const result = await runSettled(world, subject, { ...options, claimants });
    await keepSettled(run, { result, targets: settledTargets(result) }, outcome);
  }
  const deleted = await runDeletion(world, subject, { ...options, pods });
  await keepRecord(run, { record: deleted, targets: targetsOf(deleted, world.bucketSpeed) }, outcome);
}
