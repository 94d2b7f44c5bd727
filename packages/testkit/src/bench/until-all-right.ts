import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../cluster/server-process.ts';
import type { RemoteControls } from '../ec2/control/emulator-client.ts';
import type { BenchWorld } from './bench-world.ts';
import { judgeStatuses } from './judge.ts';
import type { Verdict } from './judge.ts';
import type { Progress } from './progress.ts';
import type { StatusWatch } from './watch-statuses.ts';
import type { BenchNode } from './world.ts';

export interface Awaited {
  readonly nodes: readonly BenchNode[];
  readonly watch: StatusWatch;
  /** The subject: it has to live as long as we wait. */
  readonly running: ServerProcess;
  readonly timeoutSeconds: number;
  readonly progress: Progress;
}

const POLL_MS = 20;
/** Judging reads the whole account, so not at every look. */
const JUDGE_EVERY_MS = 500;

/**
 * Waits until every status is right, judged by the account itself. Answers since when each is, in milliseconds since
 * the epoch: the status was written then, or, if that was too early, the address was associated then.
 * @throws Error when the time is over, the subject has ended, or the watch broke
 */
export async function untilAllRight(world: BenchWorld, awaited: Awaited): Promise<ReadonlyMap<string, number>> {
  const { nodes, watch, timeoutSeconds } = awaited;
  const { controls } = world.emulator;
  const startedMs = Date.now();
  const names = nodes.map(({ name }) => name);
  const judge = async (): Promise<Verdict> => judgeStatuses(nodes, watch.statuses, await controls.snapshot());
  for (let judgedMs = 0; ;) {
    watch.check();
    checkAlive(awaited.running, world.cluster.dataDir);
    const missing = names.filter((name) => !watch.statuses.has(name)).length;
    if (missing === 0 && Date.now() - judgedMs >= JUDGE_EVERY_MS) {
      judgedMs = Date.now();
      const { right, wrong } = await judge();
      if (wrong.length === 0) return rightSince(right, watch, await associatedAtMs(controls));
    }
    const seconds = (Date.now() - startedMs) / 1000;
    awaited.progress(`${names.length} nodes: ${names.length - missing} have an address, ${seconds.toFixed(0)} s`);
    if (seconds > timeoutSeconds) throw lateness((await judge()).wrong, names.length, seconds);
    await sleep(POLL_MS, undefined, { signal: world.signal });
  }
}

function checkAlive({ pid }: ServerProcess, directory: string): void {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    const logs = ['ipam-operator.log', 'subject.log'].map((name) => tail(path.join(directory, name)));
    throw new Error(`the subject has ended: ${logs.join('\n').trim()}`, { cause });
  }
}

function tail(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-2_000);
  } catch {
    // The log of the other kind of subject: not there.
    return '';
  }
}

/** When each address came to where it is, by allocation id. */
async function associatedAtMs(controls: RemoteControls): Promise<ReadonlyMap<string, number>> {
  const associations = await controls.journal({ action: 'AssociateAddress', code: 'OK' });
  return new Map(associations.map(({ params, at, effectAt }) => [params['AllocationId'] ?? '', effectAt ?? at]));
}

function rightSince(
  right: Verdict['right'],
  watch: StatusWatch,
  associated: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  return new Map(
    right.map(({ name, allocationId }) => {
      const statusAtMs = watch.statuses.get(name)?.atMs ?? Number.NaN;
      return [name, Math.max(statusAtMs, associated.get(allocationId) ?? 0)];
    }),
  );
}

function lateness(wrong: readonly string[], total: number, seconds: number): Error {
  const some = wrong.slice(0, 3).join('; ');
  return new Error(`${total - wrong.length} of ${total} right after ${seconds.toFixed(0)} s: ${some}`);
}
