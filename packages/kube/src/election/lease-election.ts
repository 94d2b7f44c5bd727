import type { Clock, Random } from '../clock/clock.ts';
import type { KubeClient } from '../client/kube-client.ts';

/** Proof of leadership, asked directly before each mutating send. */
export interface Fence {
  /**
   * A signal to give to the call about to be made: it aborts before the lease ends.
   * @throws KubeError `notLeading` when the lease is not validly held by the monotonic clock.
   */
  enter(): AbortSignal;
  /** Milliseconds the lease is still valid if not renewed, margin taken off; 0 when it is not held. */
  remainingMs(): number;
}

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
  throw new Error(`not implemented ${options.name}`);
}
