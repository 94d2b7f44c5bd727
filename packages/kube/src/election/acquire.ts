import type { Clock, Random } from '../clock/clock.ts';
import { isKubeError } from '../errors.ts';
import { withDeadline } from '../timing/deadline.ts';
import { quietly } from '../timing/quietly.ts';
import type { Lease } from './lease.ts';
import type { LeaseWriter } from './lease-writer.ts';
import { freeInMs, observe } from './observed-lease.ts';
import type { ObservedLease } from './observed-lease.ts';

/** Times of an election in milliseconds, all shorter than the lease. */
export interface ElectionTiming {
  readonly trustedMs: number;
  readonly renewEveryMs: number;
  readonly retryMs: number;
  readonly lookEveryMs: number;
}

export interface Acquiring {
  readonly writer: LeaseWriter;
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly timing: ElectionTiming;
  readonly hooks: { readonly onError?: (error: unknown) => void };
  /** Told of the holder at each read. */
  readonly seen: (identity: string) => void;
}

/** A lease taken by a request sent at `sentMs` on the monotonic clock. */
export interface TakenLease {
  readonly lease: Lease;
  readonly sentMs: number;
}

/** Waits until the lease is free and takes it. Undefined when the signal aborted first; never rejects. */
export async function acquire(it: Acquiring, signal: AbortSignal): Promise<TakenLease | undefined> {
  const { clock, random, timing, identity } = it;
  let observed: ObservedLease | undefined;
  while (!signal.aborted) {
    let waitMs = timing.lookEveryMs;
    try {
      const lease = await it.writer.read(signal);
      observed = lease === undefined ? undefined : observe(observed, lease, clock.monotonic());
      it.seen(lease?.holder ?? '');
      const leftMs = observed === undefined ? 0 : freeInMs(observed, identity, clock.monotonic());
      if (leftMs === 0) return await take(it, lease);
      waitMs = Math.min(waitMs, leftMs);
    } catch (error) {
      if (signal.aborted) return undefined;
      // Somebody was faster: the normal end of a race.
      if (!isLostRace(error)) quietly(() => it.hooks.onError?.(error));
    }
    // Spread upwards, so that candidates do not stay in step and none looks before the lease is over.
    await clock.sleep(waitMs * (1 + random() / 4), signal).catch(() => undefined); // aborted: the loop sees it
  }
  return undefined;
}

/** Not stopped half-way: a lease taken without our knowing would keep the others waiting. */
async function take({ writer, clock, timing }: Acquiring, before: Lease | undefined): Promise<TakenLease> {
  const sentMs = clock.monotonic();
  const { signal } = new AbortController();
  const deadline = { clock, ms: timing.trustedMs, signal, attempt: 'taking the lease' };
  return { lease: await withDeadline(deadline, (call) => writer.acquire(before, call)), sentMs };
}

function isLostRace(error: unknown): boolean {
  return isKubeError(error, 'conflict') || isKubeError(error, 'alreadyExists');
}
