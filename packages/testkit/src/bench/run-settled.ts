import { setTimeout as sleep } from 'node:timers/promises';
import { countWrites } from '../subject/audit-log.ts';
import { callsByAction, isRead } from './record.ts';
import type { BenchWorld } from './bench-world.ts';
import type { Claimants } from './claimants.ts';
import { whileRunning } from './measure.ts';
import type { RunOptions } from './measure.ts';
import type { Subject } from './subject.ts';
import { watchAddresses } from './watch-addresses.ts';

/** What a subject did to a world in which there was nothing to do. */
export interface SettledResult {
  readonly subject: string;
  readonly n: number;
  readonly noun: Claimants['noun'];
  readonly resyncs: number;
  readonly starts: number;
  /** EC2 calls that change something, by action. */
  readonly mutatingCalls: Readonly<Record<string, number>>;
  /** Kubernetes writes by verb and resource, Leases apart. */
  readonly writes: Readonly<Record<string, number>>;
  /** EC2 reads by action over the whole time. */
  readonly reads: Readonly<Record<string, number>>;
  readonly violations: number;
  /** Claimants that are no longer right. */
  readonly wrong: readonly string[];
}

const RESYNC_SECONDS = 2;
const RESYNCS = 10;

/**
 * Starts the subject on a settled world, lets it go through ten resyncs, restarts it once, and counts what it did.
 * A subject that is not told the interval is watched for the same time.
 */
export async function runSettled(
  world: BenchWorld,
  subject: Subject,
  { claimants, progress, warmUpSeconds }: RunOptions & { readonly claimants: Claimants },
): Promise<SettledResult> {
  const { cluster, emulator, signal } = world;
  const { controls } = emulator;
  const watch = await watchAddresses(cluster, claimants.watched);
  await controls.forget();
  const sinceMs = Date.now();
  const briefly: Subject = { ...subject, start: () => subject.start({ resyncSeconds: RESYNC_SECONDS }) };
  try {
    for (const resyncs of [RESYNCS, 1]) {
      progress(`settled: started, ${resyncs} resyncs of ${RESYNC_SECONDS} s`);
      const idle = (): Promise<void> => sleep(resyncs * RESYNC_SECONDS * 1000, undefined, { signal });
      await whileRunning(world, { subject: briefly, warmUpSeconds }, idle);
    }
    const calls = Object.entries(callsByAction(await controls.counts()));
    return {
      subject: subject.name,
      n: claimants.names.length,
      noun: claimants.noun,
      resyncs: RESYNCS + 1,
      starts: 2,
      mutatingCalls: Object.fromEntries(calls.filter(([action]) => !isRead(action))),
      writes: countWrites(cluster.auditLogFile, { sinceMs }),
      reads: Object.fromEntries(calls.filter(([action]) => isRead(action))),
      violations: (await controls.violations()).length,
      wrong: (await claimants.judge(watch.addresses)).wrong,
    };
  } finally {
    await watch.close();
  }
}
