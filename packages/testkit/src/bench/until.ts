import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../cluster/server-process.ts';
import type { BenchWorld } from './bench-world.ts';
import type { AddressWatch } from './watch-addresses.ts';

export interface Waiting {
  readonly watch: AddressWatch;
  /** The subject: it has to live as long as we wait. */
  readonly running: ServerProcess;
  readonly timeoutSeconds: number;
}

const POLL_MS = 20;

/**
 * Asks again and again until there is an answer. `ask` is told how many seconds have passed.
 * @throws Error when the subject has ended or the watch broke; what `late` makes of it when the time is over
 */
export async function until<T>(
  { world, watch, running, timeoutSeconds }: Waiting & { readonly world: BenchWorld },
  ask: (seconds: number) => Promise<T | undefined>,
  late: (seconds: number) => Promise<Error>,
): Promise<T> {
  const startedMs = Date.now();
  for (;;) {
    watch.check();
    checkAlive(running, world.cluster.dataDir);
    const seconds = (Date.now() - startedMs) / 1000;
    const answer = await ask(seconds);
    if (answer !== undefined) return answer;
    if (seconds > timeoutSeconds) throw await late(seconds);
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
