import type { Clock, Random } from '../clock/clock.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { acquire } from './acquire.ts';
import type { ElectionTiming } from './acquire.ts';
import { createLeaseWriter } from './lease-writer.ts';
import { quietly } from '../timing/quietly.ts';
import { serveTerm } from './serve-term.ts';
import { beginTerm } from './term.ts';
import type { Fence, Term } from './term.ts';

export interface ElectionHooks {
  /** Leadership began. */
  readonly onAcquired?: () => void;
  /** Leadership ended against our will. */
  readonly onLost?: (reason: string) => void;
  /** Another holder was seen; '' when the lease is free. */
  readonly onHolder?: (identity: string) => void;
  /** A failed read or write of the Lease; retried. A lost race is not an error. */
  readonly onError?: (error: unknown) => void;
}

export interface ElectionOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique among the candidates, e.g. the pod's name and a random part. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  /** How long the lease is good without renewal. Default 15 s, at least 1 s, whole seconds. */
  readonly leaseDurationMs?: number | undefined;
  readonly hooks?: ElectionHooks | undefined;
}

/** A candidate for one Lease. */
export interface LeaseElection {
  /**
   * Waits for the lease, calls `lead` while renewing it, and gives it up afterwards.
   * Resolves when `lead` has returned, or when `signal` aborted (lead's signal aborts with it, the lease is released
   * after lead has returned). Call it once.
   * @throws KubeError `notLeading` when the lease was lost (lead's signal is aborted first); what `lead` threw.
   */
  run(lead: (signal: AbortSignal, fence: Fence) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Whether the lease is validly held now. For readiness and metrics. */
  isLeading(): boolean;
  /** The holder last seen; '' when free or not yet read. */
  holder(): string;
}

/** Makes a candidate; nothing happens before `run`. @throws RangeError for a duration out of range. */
export function createLeaseElection(options: ElectionOptions): LeaseElection {
  const { clock, leaseDurationMs = 15_000, hooks = {} } = options;
  if (!(leaseDurationMs >= 1_000) || leaseDurationMs % 1_000 !== 0) {
    throw new RangeError(`a lease lasts whole seconds, at least one, not ${leaseDurationMs} ms`);
  }
  const timing = timingOf(leaseDurationMs);
  const writer = createLeaseWriter({ ...options, durationMs: leaseDurationMs });
  const candidate = { ...options, hooks, timing, writer };
  let term: Term | undefined;
  let holder = '';
  const seen = (identity: string): void => {
    if (identity === holder) return;
    holder = identity;
    quietly(() => hooks.onHolder?.(identity));
  };

  return {
    run: async (lead, signal) => {
      const taken = await acquire({ ...candidate, seen }, signal);
      if (taken === undefined) return;
      term = beginTerm({ clock, sentMs: taken.sentMs, trustedMs: timing.trustedMs });
      seen(options.identity);
      quietly(() => hooks.onAcquired?.());
      await serveTerm({ ...candidate, term, lease: taken.lease, lead }, signal);
    },
    isLeading: () => (term?.remainingMs() ?? 0) > 0,
    holder: () => holder,
  };
}

/** All times follow from the lease's duration. */
function timingOf(durationMs: number): ElectionTiming {
  return {
    // We stop acting a fifth of the duration before others may begin: room for a call cut off at the last moment.
    trustedMs: durationMs * 0.8,
    renewEveryMs: durationMs / 5,
    retryMs: durationMs / 15,
    // Standbys look often enough to follow a release at once.
    lookEveryMs: Math.min(1_000, durationMs / 5),
  };
}
