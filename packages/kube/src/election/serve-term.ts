import type { Clock } from '../clock/clock.ts';
import { isKubeError, KubeError } from '../errors.ts';
import { withDeadline } from '../timing/deadline.ts';
import { quietly } from '../timing/quietly.ts';
import type { ElectionTiming } from './acquire.ts';
import type { Lease } from './lease.ts';
import type { LeaseWriter } from './lease-writer.ts';
import type { Fence, Term } from './term.ts';

export interface Serving {
  readonly writer: LeaseWriter;
  readonly identity: string;
  readonly clock: Clock;
  readonly timing: ElectionTiming;
  readonly hooks: { readonly onLost?: (reason: string) => void; readonly onError?: (error: unknown) => void };
  readonly term: Term;
  readonly lease: Lease;
  readonly lead: (signal: AbortSignal, fence: Fence) => Promise<void>;
}

/**
 * Leads, renewing meanwhile (also while `lead` winds down after `signal` aborted), then gives the lease up.
 * @throws KubeError `notLeading` when the lease was lost; what `lead` threw. A rejection that merely echoes the abort is
 * a normal end.
 */
export async function serveTerm(it: Serving, signal: AbortSignal): Promise<void> {
  const { term, lead } = it;
  const finished = new AbortController();
  const renewing = renewUntil(it, finished.signal);
  const leadSignal = AbortSignal.any([signal, term.lost]);
  try {
    // Told to stop while the lease was being taken: only give it back.
    if (!signal.aborted) await lead(leadSignal, fenceOf(term));
  } catch (error) {
    if (!leadSignal.aborted) throw error;
  } finally {
    finished.abort();
    await giveUp(it, await renewing);
  }
  if (term.lost.aborted) throw term.lost.reason;
}

function fenceOf(term: Term): Fence {
  return {
    enter: () => {
      if (term.remainingMs() > 0) return term.lost;
      term.lose('its time was over');
      throw term.lost.aborted ? term.lost.reason : new KubeError('notLeading', 'the lease was given up');
    },
    remainingMs: () => term.remainingMs(),
  };
}

/** Renews at a steady pace until `stop`; answers the last version written. Never rejects. */
async function renewUntil(it: Serving, stop: AbortSignal): Promise<Lease> {
  const { clock, timing, term, hooks } = it;
  const ended = AbortSignal.any([stop, term.lost]);
  let { lease } = it;
  let waitMs = timing.renewEveryMs;
  while (!ended.aborted) {
    await clock.sleep(waitMs, ended).catch(() => undefined); // ended: the loop sees it
    if (ended.aborted) break;
    try {
      // Not `ended`: when we stop, the answer to a renewal under way tells the version that the release must name.
      lease = await renewOnce(it, lease, term.lost);
      waitMs = timing.renewEveryMs;
    } catch (error) {
      if (term.lost.aborted) break;
      if (!isKubeError(error, 'conflict')) quietly(() => hooks.onError?.(error));
      lease = await reread(it, lease);
      waitMs = timing.retryMs;
    }
  }
  if (term.lost.aborted) quietly(() => hooks.onLost?.(lostReason(term.lost)));
  return lease;
}

async function renewOnce({ writer, clock, term, timing }: Serving, before: Lease, signal: AbortSignal): Promise<Lease> {
  const sentMs = clock.monotonic();
  // One slow answer must leave time for another try.
  const deadline = { clock, ms: timing.renewEveryMs, signal, attempt: 'renewing the lease' };
  const lease = await withDeadline(deadline, (call) => writer.renew(before, call));
  term.renewed(sentMs);
  return lease;
}

/** After a failed renewal: the lease may be somebody else's, or ours with another version. Never rejects. */
async function reread({ writer, clock, term, timing, identity, hooks }: Serving, before: Lease): Promise<Lease> {
  try {
    const deadline = { clock, ms: timing.renewEveryMs, signal: term.lost, attempt: 'reading the lease' };
    const lease = await withDeadline(deadline, (call) => writer.read(call));
    if (lease?.holder === identity) return lease;
    term.lose(lease === undefined ? 'the Lease was deleted' : 'another holder took it');
  } catch (error) {
    if (!term.lost.aborted) quietly(() => hooks.onError?.(error));
  }
  return before;
}

/** A lost lease is not ours to release. A failed release costs the next holder some waiting, no more. */
async function giveUp({ writer, clock, timing, term, hooks }: Serving, lease: Lease): Promise<void> {
  const lost = term.lost.aborted;
  term.end();
  if (lost) return;
  const signal = new AbortController().signal;
  try {
    const deadline = { clock, ms: timing.renewEveryMs, signal, attempt: 'releasing the lease' };
    await withDeadline(deadline, (call) => writer.release(lease, call));
  } catch (error) {
    quietly(() => hooks.onError?.(error));
  }
}

function lostReason(lost: AbortSignal): string {
  return isKubeError(lost.reason) ? (lost.reason.fields['reason'] ?? '') : '';
}
