import type { RemoteControls } from '../ec2/control/emulator-client.ts';
import type { BenchWorld } from './bench-world.ts';
import type { Claimants, Verdict } from './claimants.ts';
import type { Progress } from './progress.ts';
import { until } from './until.ts';
import type { Waiting } from './until.ts';
import type { AddressWatch } from './watch-addresses.ts';

export interface Awaited extends Waiting {
  readonly claimants: Claimants;
  readonly progress: Progress;
}

/** Judging reads the whole account, so not at every look. */
const JUDGE_EVERY_MS = 500;

/**
 * Waits until every claimant shows the right address, judged by the account itself. Answers since when each does, in
 * milliseconds since the epoch: it was written then, or, if that was too early, the address was associated then.
 * @throws Error when the time is over, the subject has ended, or the watch broke
 */
export async function untilAllRight(world: BenchWorld, awaited: Awaited): Promise<ReadonlyMap<string, number>> {
  const { claimants, watch, progress } = awaited;
  const { names, noun } = claimants;
  const { controls } = world.emulator;
  const judge = (): Promise<Verdict> => claimants.judge(watch.addresses);
  let judgedMs = 0;
  return until(
    { ...awaited, world },
    async (seconds) => {
      const missing = names.filter((name) => !watch.addresses.has(name)).length;
      progress(`${names.length} ${noun}: ${names.length - missing} have an address, ${seconds.toFixed(0)} s`);
      if (missing > 0 || Date.now() - judgedMs < JUDGE_EVERY_MS) return undefined;
      judgedMs = Date.now();
      const { right, wrong } = await judge();
      return wrong.length === 0 ? rightSince(right, watch, await associatedAtMs(controls)) : undefined;
    },
    async (seconds) => {
      const { wrong } = await judge();
      const right = names.length - wrong.length;
      return new Error(
        `${right} of ${names.length} right after ${seconds.toFixed(0)} s: ${wrong.slice(0, 3).join('; ')}`,
      );
    },
  );
}

/** When each address came to where it is, by allocation id. */
async function associatedAtMs(controls: RemoteControls): Promise<ReadonlyMap<string, number>> {
  const associations = await controls.journal({ action: 'AssociateAddress', code: 'OK' });
  return new Map(associations.map(({ params, at, effectAt }) => [params['AllocationId'] ?? '', effectAt ?? at]));
}

function rightSince(
  right: Verdict['right'],
  { addresses }: AddressWatch,
  associated: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  return new Map(
    right.map(({ name, allocationId }) => {
      const shownAtMs = addresses.get(name)?.atMs ?? Number.NaN;
      return [name, Math.max(shownAtMs, associated.get(allocationId) ?? 0)];
    }),
  );
}
