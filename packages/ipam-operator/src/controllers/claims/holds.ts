import type { Candidate, IdSet, PlaceCounts } from '@static-ip/provider';
import type { Provisional } from '../../core/facts.ts';

/**
 * What this process knows before the cloud's reads show it: who has reserved which address, which attachments were
 * accepted a moment ago, and which were taken off. Reads may be seconds old; these marks bridge the gap.
 */
export interface Holds {
  /** Reserves the candidate for the claim, in place of what it had. False when another claim has it. */
  reserve(claimKey: string, candidate: Candidate): boolean;
  reservedIp(claimKey: string): string | undefined;
  /** Addresses that claims other than this one have reserved. */
  takenFor(claimKey: string): IdSet;
  placesTakenFor(claimKey: string): PlaceCounts;
  /** Forgets the claim's reservation and provisional attachment. */
  release(claimKey: string): void;
  attached(claimKey: string, provisional: Provisional): void;
  provisional(claimKey: string): Provisional | undefined;
  /** The claim is seen to hold this address: nothing about it is provisional any more. */
  confirm(claimKey: string, ip: string): void;
  detached(attachmentId: string, at: number): void;
  readonly gone: IdSet;
  /** Forgets detachments from before `at` (monotonic ms): no read is that old. */
  prune(at: number): void;
}

/** Makes a set of holds with nothing in it. */
export function createHolds(): Holds {
  const reservations = new Map<string, Candidate>();
  const ownerOf = new Map<string, string>();
  const provisionals = new Map<string, Provisional>();
  const detachedAt = new Map<string, number>();

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
    takenFor: (claimKey) => ({
      has(id) {
        const owner = ownerOf.get(id);
        return owner !== undefined && owner !== claimKey;
      },
    }),
    placesTakenFor: (claimKey) => ({
      get: (poolId) =>
        [...reservations].filter(
          ([key, candidate]) => key !== claimKey && candidate.kind === 'pool' && candidate.pool.id === poolId,
        ).length,
    }),
    release(claimKey) {
      unreserve(claimKey);
      provisionals.delete(claimKey);
    },
    attached(claimKey, provisional) {
      provisionals.set(claimKey, provisional);
    },
    provisional: (claimKey) => provisionals.get(claimKey),
    confirm(claimKey, ip) {
      provisionals.delete(claimKey);
      const had = reservations.get(claimKey);
      if (had?.kind !== 'address' || had.address.ip !== ip) unreserve(claimKey);
    },
    detached(attachmentId, at) {
      detachedAt.set(attachmentId, at);
    },
    gone: detachedAt,
    prune(at) {
      for (const [id, when] of detachedAt) if (when < at) detachedAt.delete(id);
    },
  };
}
