import type { BenchWorld } from '../bench-world.ts';
import { measure } from '../measure.ts';
import type { RunOptions, Times } from '../measure.ts';
import type { BenchRecord } from '../record.ts';
import type { Subject } from '../subject.ts';
import { until } from '../until.ts';
import type { Waiting } from '../until.ts';
import { watchAddresses } from '../watch-addresses.ts';
import type { AddressWatch } from '../watch-addresses.ts';
import { deletePods } from './create-pods.ts';
import { EIPS, PODS, podClaimants } from './pod-claimants.ts';
import type { BenchPod } from './pod-places.ts';

const EIP_NAME = 'eip.materialize.cloud/eip_name';

/** Deletes all pods at once, and waits until neither a pod nor an Eip nor an address of one is left. */
export async function runDeletion(
  world: BenchWorld,
  subject: Subject,
  { pods, ...options }: RunOptions & { readonly pods: readonly BenchPod[] },
): Promise<BenchRecord> {
  const { cluster, emulator } = world;
  const { addresses } = await emulator.controls.snapshot();
  const owners = new Map(addresses.map(({ allocationId, tags }) => [allocationId, tags[EIP_NAME] ?? '']));
  const eips = await watchAddresses(cluster, { path: EIPS, addressOf: ({ metadata }) => metadata.name });
  const act = async (waiting: Waiting): Promise<Times> => {
    const parts = { world, waiting, eips, n: pods.length, progress: options.progress };
    const [sentAtMs] = await Promise.all([deletePods(cluster.api, pods), untilAllGone(parts)]);
    const released = await releasedAtMs(world, owners);
    const ends = (name: string): readonly number[] =>
      [waiting.watch.gone, eips.gone, released].map((times) => times.get(name) ?? Number.NaN);
    return { sentAtMs, doneAtMs: new Map(pods.map(({ name }) => [name, Math.max(...ends(name))])) };
  };
  try {
    return await measure(world, subject, { ...options, flow: 'eip-delete', claimants: podClaimants(world, pods), act });
  } finally {
    await eips.close();
  }
}

interface Deletion {
  readonly world: BenchWorld;
  readonly waiting: Waiting;
  readonly eips: AddressWatch;
  readonly n: number;
  readonly progress: RunOptions['progress'];
}

async function untilAllGone({ world, waiting, eips, n, progress }: Deletion): Promise<void> {
  const left = async (): Promise<readonly string[]> => {
    const { addresses } = await world.emulator.controls.snapshot();
    return addresses.flatMap(({ publicIp, tags }) => (tags[EIP_NAME] === undefined ? [] : [publicIp]));
  };
  await until(
    { ...waiting, world },
    async (seconds) => {
      eips.check();
      progress(`${n} pods: ${waiting.watch.gone.size} are gone, ${eips.gone.size} Eips, ${seconds.toFixed(0)} s`);
      if (waiting.watch.gone.size < n || eips.gone.size < n) return undefined;
      return (await left()).length === 0 ? true : undefined;
    },
    async (seconds) => {
      const counts = await Promise.all([PODS, EIPS].map(async (path) => (await world.cluster.api.list(path)).length));
      const addresses = (await left()).length;
      return new Error(
        `after ${seconds.toFixed(0)} s ${counts.join(' pods, ')} Eips and ${addresses} addresses are left`,
      );
    },
  );
}

/** When the address of each Eip was released, by the name of the Eip, in milliseconds since the epoch. */
async function releasedAtMs(
  { emulator }: BenchWorld,
  owners: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, number>> {
  const releases = await emulator.controls.journal({ action: 'ReleaseAddress', code: 'OK' });
  return new Map(
    releases.map(({ params, at, effectAt }) => [owners.get(params['AllocationId'] ?? '') ?? '', effectAt ?? at]),
  );
}
