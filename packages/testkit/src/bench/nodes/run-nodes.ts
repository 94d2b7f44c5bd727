import { keepRecord, keepSettled } from '../outcome.ts';
import type { OneRun, Outcome } from '../outcome.ts';
import { runBurst } from '../run-burst.ts';
import { runSettled } from '../run-settled.ts';
import { idleTargets, targetsOf, settledTargets } from '../targets.ts';
import { createNodes } from './create-nodes.ts';
import { nodeClaimants } from './node-claimants.ts';
import { measureStarts, runIdle } from './run-idle.ts';
import { addNodes } from './world.ts';

/** Nodes that come all at once, or for a single one its latency. */
export async function runNodes(run: OneRun, outcome: Outcome): Promise<void> {
  const { world, subject, options } = run;
  if (options.n === 1) {
    const record = await runIdle(world, subject, options);
    const starts = await measureStarts(world, subject, options);
    return keepRecord(run, { record, targets: idleTargets(record, starts) }, outcome);
  }
  const { controls } = world.emulator;
  options.progress(`${options.n} nodes: making instances and addresses`);
  await world.reset();
  const nodes = await addNodes(controls, { first: 1, count: options.n });
  const claimants = nodeClaimants(controls, nodes);
  const create = (): Promise<ReadonlyMap<string, number>> => createNodes(world.cluster.api, nodes);
  const record = await runBurst(world, subject, { ...options, flow: 'node', claimants, create });
  await keepRecord(run, { record, targets: targetsOf(record, world.bucketSpeed) }, outcome);
  if (!options.settled) return;
  const result = await runSettled(world, subject, { ...options, claimants });
  await keepSettled(run, { result, targets: settledTargets(result) }, outcome);
}
