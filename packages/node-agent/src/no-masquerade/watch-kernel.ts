import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Clock } from '@static-ip/kube';
import { TABLE } from './names.ts';

export interface WatchOptions {
  readonly clock: Clock;
  /** A command to run the monitors under, e.g. in another network namespace. */
  readonly prefix?: readonly string[] | undefined;
  /** Something that matters may have changed. */
  readonly onChange: () => void;
  /** A monitor ended; it is started again after a pause. */
  readonly onError?: ((error: unknown, program: string) => void) | undefined;
}

interface Monitor {
  readonly program: string;
  readonly args: readonly string[];
  readonly matters: (line: string) => boolean;
}

/**
 * Netlink events as the system's own programs hand them on. What a line says is of no interest but for whether it may
 * concern us: the state is read anew anyway. Nothing polls.
 */
const MONITORS: readonly Monitor[] = [
  { program: 'ip', args: ['-4', 'monitor', 'rule', 'route', 'link', 'address'], matters: (line) => line !== '' },
  // Every table's changes pass here, each as a line of JSON that names its table.
  { program: 'nft', args: ['-j', 'monitor'], matters: (line) => line.includes(`"${TABLE}"`) },
];

/** A monitor must not outlive this process, however it ends: it would hear nothing of it until its next event. */
const DIE_WITH_US = ['setpriv', '--pdeathsig', 'KILL'];

const RESTART_MS = 5_000;
/** A monitor says nothing when it has begun to listen: what happened until then is looked for a little later. */
const DEAF_MS = 1_000;

/** Tells of changes in rules, routes, links, addresses and our table until the signal aborts. Never rejects. */
export async function watchKernel(options: WatchOptions, signal: AbortSignal): Promise<void> {
  await Promise.all(MONITORS.map((monitor) => keepRunning(monitor, options, signal)));
}

async function keepRunning(monitor: Monitor, options: WatchOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const ended = new AbortController();
    const running = runMonitor(monitor, options, signal).finally(() => ended.abort());
    const listening = AbortSignal.any([signal, ended.signal]);
    const missed = options.clock.sleep(DEAF_MS, listening).then(options.onChange, () => undefined);
    const [outcome] = await Promise.allSettled([running, missed]);
    if (signal.aborted) return;
    const reason: unknown = outcome.status === 'rejected' ? outcome.reason : new Error('it ended by itself');
    options.onError?.(reason, monitor.program);
    // oxlint-disable-next-line no-await-in-loop -- one run after the other
    await options.clock.sleep(RESTART_MS, signal).catch(() => undefined); // aborted: the loop ends
  }
}

async function runMonitor(
  { program, args, matters }: Monitor,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const [command = program, ...rest] = [...(options.prefix ?? []), ...DIE_WITH_US, program, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'ignore'], signal, killSignal: 'SIGKILL' });
  const closed = once(child, 'close');
  // Both end with the child; a failure to start comes through `closed`.
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) if (matters(line)) options.onChange();
  })();
  await Promise.all([closed, reading]);
}
