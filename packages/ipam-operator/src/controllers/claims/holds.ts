import type { Candidate, IdSet, PlaceCounts } from '@static-ip/provider';
import type { Attempt, Own, Provisional } from '../../core/facts.ts';

/**
 * What this process knows before the cloud's reads show it: who has reserved which address, which attachments were
 * accepted a moment ago or may
 * have been, and which were taken off. Reads may be seconds old; these marks bridge the gap.
 */
export interface Holds {
  /** Reserves the candidate for the claim, in place of what it had. False when another claim has it. */
  reserve(claimKey: string, candidate: Candidate): boolean;
  reservedIp(claimKey: string): string | undefined;
  /** Addresses that others have, whatever a listing says that began at `listedAt`: reserved by claims, or lost later. */
  takenFor(claimKey: string, listedAt: number): IdSet;
  placesTakenFor(claimKey: string): PlaceCounts;
  /** Gives the claim's reservation up. */
  unreserve(claimKey: string): void;
  /** Forgets the claim's reservation and all that was attached or may have been. */
  release(claimKey: string): void;
  attached(claimKey: string, provisional: Provisional): void;
  provisional(claimKey: string): Provisional | undefined;
  /** Nobody told whether the attaching took effect. The reservation stays. */
  attempted(claimKey: string, attempt: Attempt): void;
  attempt(claimKey: string): Attempt | undefined;
  /** What was last attached for the claim, perhaps, or seen on its target. */
  own(claimKey: string): Own | undefined;
  /** Something was attached for the claim after `at` (monotonic ms), or may have been, that no read has shown. */
  isAwaiting(claimKey: string, at: number): boolean;
  /** Somebody else has the address since `at` (monotonic ms) at the latest: only a later listing can show it free. */
  lost(addressId: string, at: number): void;
  /** The claim is seen to hold this address: nothing about it is provisional any more. */
  confirm(claimKey: string, own: Own): void;
  detached(attachmentId: string, at: number): void;
  readonly gone: IdSet;
  /** Forgets detachments and losses from before `at` (monotonic ms): no read is that old. */
  prune(at: number): void;
}

/** Makes a set of holds with nothing in it. */
export function createHolds(): Holds {
  const reservations = new Map<string, Candidate>();
  const ownerOf = new Map<string, string>();
  const provisionals = new Map<string, Provisional>();
  const attempts = new Map<string, Attempt>();
  const detachedAt = new Map<string, number>();
  const owns = new Map<string, Own>();
  const lostAt = new Map<string, number>();

  const unreserve = (claimKey: string): void => {
    const had = reservations.get(claimKey);
    if (had?.kind === 'address') ownerOf.delete(had.address.id);
    reservations.delete(claimKey);
  };

  return {
    reserve(claimKey, candidate) {
      if (candidate.kind === 'address') {
        const owner = ownerOf.get(candidate.address.id);
        if (owner !== undefined && owner !== claimKey) return false;
      }
      unreserve(claimKey);
      reservations.set(claimKey, candidate);
      if (candidate.kind === 'address') ownerOf.set(candidate.address.id, claimKey);
      return true;
    },
    reservedIp(claimKey) {
      const had = reservations.get(claimKey);
      return had?.kind === 'address' ? had.address.ip : undefined;
    },
    takenFor: (claimKey, listedAt) => ({
      has(id) {
        const owner = ownerOf.get(id);
        if (owner !== undefined && owner !== claimKey) return true;
        return (lostAt.get(id) ?? -Infinity) >= listedAt;
      },
    }),
    placesTakenFor: (claimKey) => ({
      get: (poolId) =>
        [...reservations].filter(
          ([key, candidate]) => key !== claimKey && candidate.kind === 'pool' && candidate.pool.id === poolId,
        ).length,
    }),
    unreserve,
    release(claimKey) {
      unreserve(claimKey);
      owns.delete(claimKey);
      provisionals.delete(claimKey);
      attempts.delete(claimKey);
    },
    attached(claimKey, provisional) {
      attempts.delete(claimKey);
      provisionals.set(claimKey, provisional);
      owns.set(claimKey, { ip: provisional.attachment.ip, at: provisional.madeAt });
    },
    attempted(claimKey, attempt) {
      attempts.set(claimKey, attempt);
      owns.set(claimKey, { ip: attempt.ip, at: attempt.failedAt });
    },
    attempt: (claimKey) => attempts.get(claimKey),
    own: (claimKey) => owns.get(claimKey),
    isAwaiting: (claimKey, at) =>
      (provisionals.get(claimKey)?.madeAt ?? -Infinity) > at || (attempts.get(claimKey)?.failedAt ?? -Infinity) > at,
    lost: (addressId, at) => void lostAt.set(addressId, at),
    provisional: (claimKey) => provisionals.get(claimKey),
    confirm(claimKey, { ip, at }) {
      provisionals.delete(claimKey);
      if (attempts.get(claimKey)?.ip === ip) attempts.delete(claimKey);
      owns.set(claimKey, { ip, at });
      const had = reservations.get(claimKey);
      if (had?.kind !== 'address' || had.address.ip !== ip) unreserve(claimKey);
    },
    detached(attachmentId, at) {
      detachedAt.set(attachmentId, at);
    },
    gone: detachedAt,
    prune(at) {
      for (const times of [detachedAt, lostAt]) {
        for (const [id, when] of times) if (when < at) times.delete(id);
      }
    },
  };
}
