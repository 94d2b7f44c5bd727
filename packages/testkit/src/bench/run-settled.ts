import { setTimeout as sleep } from 'node:timers/promises';
import { countWrites } from '../subject/audit-log.ts';
import { callsByAction, isRead } from './record.ts';
import { judgeStatuses } from './judge.ts';
import type { BenchWorld } from './bench-world.ts';
import type { RunOptions } from './run-burst.ts';
import type { Subject } from './subject.ts';
import { watchStatuses } from './watch-statuses.ts';
import type { BenchNode } from './world.ts';

/** What a subject did to a world in which there was nothing to do. */
export interface SettledResult {
  readonly subject: string;
  readonly n: number;
  readonly resyncs: number;
  readonly starts: number;
  /** EC2 calls that change something, by action. */
  readonly mutatingCalls: Readonly<Record<string, number>>;
  /** Kubernetes writes by verb and resource, Leases apart. */
  readonly writes: Readonly<Record<string, number>>;
  /** EC2 reads by action over the whole time. */
  readonly reads: Readonly<Record<string, number>>;
  readonly violations: number;
  /** Statuses that are no longer right. */
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
  { nodes, progress, warmUpSeconds }: RunOptions & { readonly nodes: readonly BenchNode[] },
): Promise<SettledResult> {
  const { cluster, emulator, signal } = world;
  const { controls } = emulator;
  const watch = await watchStatuses(cluster);
  await controls.forget();
  const sinceMs = Date.now();
  const idle = (seconds: number): Promise<void> => sleep(seconds * 1000, undefined, { signal });
  try {
    for (const resyncs of [RESYNCS, 1]) {
      progress(`settled: started, ${resyncs} resyncs of ${RESYNC_SECONDS} s`);
      const running = await subject.start({ resyncSeconds: RESYNC_SECONDS });
      try {
        await idle(warmUpSeconds + resyncs * RESYNC_SECONDS);
      } finally {
        await running.stop(10_000);
      }
    }
    const calls = Object.entries(callsByAction(await controls.counts()));
    return {
      subject: subject.name,
      n: nodes.length,
      resyncs: RESYNCS + 1,
      starts: 2,
      mutatingCalls: Object.fromEntries(calls.filter(([action]) => !isRead(action))),
      writes: countWrites(cluster.auditLogFile, { sinceMs }),
      reads: Object.fromEntries(calls.filter(([action]) => isRead(action))),
      violations: (await controls.violations()).length,
      wrong: judgeStatuses(nodes, watch.statuses, await controls.snapshot()).wrong,
    };
  } finally {
    await watch.close();
  }
}
