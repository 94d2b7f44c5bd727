import type { Lease } from './lease.ts';

/**
 * A Lease and when this process first saw it in this state. Wall clocks of other machines are never compared with ours:
 * a lease is over when it has not changed for its own duration on our monotonic clock.
 */
export interface ObservedLease {
  readonly lease: Lease;
  readonly sinceMs: number;
}

/** What is known after a read at `nowMs`. */
export function observe(before: ObservedLease | undefined, lease: Lease, nowMs: number): ObservedLease {
  return before !== undefined && isRenewalOf(before.lease, lease)
    ? { lease, sinceMs: before.sinceMs }
    : { lease, sinceMs: nowMs };
}

/** Whether nothing that counts has changed: a label put on the Lease is not a renewal. */
function isRenewalOf(before: Lease, after: Lease): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    before.holder === after.holder &&
    before.renewTime === after.renewTime &&
    before.durationMs === after.durationMs
  );
}

/** Milliseconds until anybody may take the lease; 0: now. */
export function freeInMs({ lease, sinceMs }: ObservedLease, identity: string, nowMs: number): number {
  if (lease.holder === '' || lease.holder === identity) return 0;
  return Math.max(0, sinceMs + lease.durationMs - nowMs);
}
