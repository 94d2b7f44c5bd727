import type { Address, Candidate, IdSet, PlaceCounts } from '@static-ip/provider';
import type { Made, Provisional } from '../../core/facts.ts';

/**
 * What this process knows before the cloud's reads show it: who has reserved which address, which attachments were
 * accepted a moment ago, and which were taken off. Reads may be seconds old; these marks bridge the gap.
 */
export interface Holds {
  /** Reserves the candidate for the claim, in place of what it had. False when another claim has it. */
  reserve(claimKey: string, candidate: Candidate): boolean;
  /** The same for an address that is the claim's own, wherever it is attached. */
  keep(claimKey: string, address: Pick<Address, 'id' | 'ip'>): boolean;
  reservedIp(claimKey: string): string | undefined;
  /** Addresses that claims other than this one have reserved. */
  takenFor(claimKey: string): IdSet;
  placesTakenFor(claimKey: string): PlaceCounts;
  /** Forgets the claim's reservation and provisional attachment. */
  release(claimKey: string): void;
  /** The same after a try that came to nothing; but what is the claim's own stays its own. */
  dropTry(claimKey: string): void;
  attached(claimKey: string, provisional: Provisional): void;
  provisional(claimKey: string): Provisional | undefined;
  /** The claim is seen to hold this address: nothing about it is provisional any more. */
  confirm(claimKey: string, ip: string): void;
  /** An attachment of the claim was taken off, at `at` (monotonic ms). */
  detached(claimKey: string, attachmentId: string, at: number): void;
  /** When something was last attached or detached for the claim; minus infinity: never. */
  changedAt(claimKey: string): number;
  readonly gone: IdSet;
  /** The cloud made this address for the claim. */
  allocated(claimKey: string, made: Made): void;
  made(claimKey: string): Made | undefined;
  /** Until then (monotonic ms) an address may exist that was made for the claim and that no read shows. */
  doubt(claimKey: string, until: number): void;
  /** Minus infinity when there is no doubt. */
  doubtUntil(claimKey: string): number;
  addressReleased(addressId: string, at: number): void;
  readonly released: IdSet;
  /** The claim is gone: forgets everything about it. */
  forget(claimKey: string): void;
  /** Forgets detachments and releases from before `at` (monotonic ms): no read is that old. */
  prune(at: number): void;
}

/** An address, or a place of a pool. */
interface Reservation {
  /** The claim's own: not given up with a failed try. */
  readonly isKept?: boolean;
  readonly addressId?: string;
  readonly ip?: string;
  readonly poolId?: string;
}

/** Makes a set of holds with nothing in it. */
export function createHolds(): Holds {
  const reservations = new Map<string, Reservation>();
  const ownerOf = new Map<string, string>();
  const provisionals = new Map<string, Provisional>();
  const detachedAt = new Map<string, number>();
  const releasedAt = new Map<string, number>();
  const made = new Map<string, Made>();
  const doubts = new Map<string, number>();
  const changes = new Map<string, number>();

  const unreserve = (claimKey: string): void => {
    const had = reservations.get(claimKey);
    if (had?.addressId !== undefined) ownerOf.delete(had.addressId);
    reservations.delete(claimKey);
  };

  const release = (claimKey: string): void => {
    unreserve(claimKey);
    provisionals.delete(claimKey);
  };

  const take = (claimKey: string, { id, ip }: Pick<Address, 'id' | 'ip'>, isKept: boolean): boolean => {
    const owner = ownerOf.get(id);
    if (owner !== undefined && owner !== claimKey) return false;
    unreserve(claimKey);
    reservations.set(claimKey, { addressId: id, ip, isKept });
    ownerOf.set(id, claimKey);
    return true;
  };

  const isKept = (claimKey: string, addressId: string): boolean => {
    const had = reservations.get(claimKey);
    return had?.isKept === true && had.addressId === addressId;
  };

  return {
    keep: (claimKey, address) => take(claimKey, address, true),
    reserve(claimKey, candidate) {
      if (candidate.kind === 'address') {
        const { address } = candidate;
        return take(claimKey, address, isKept(claimKey, address.id));
      }
      unreserve(claimKey);
      reservations.set(claimKey, { poolId: candidate.pool.id });
      return true;
    },
    reservedIp: (claimKey) => reservations.get(claimKey)?.ip,
    takenFor: (claimKey) => ({
      has(id) {
        const owner = ownerOf.get(id);
        return owner !== undefined && owner !== claimKey;
      },
    }),
    placesTakenFor: (claimKey) => ({
      get: (poolId) =>
        [...reservations].filter(([key, reserved]) => key !== claimKey && reserved.poolId === poolId).length,
    }),
    release,
    dropTry(claimKey) {
      if (reservations.get(claimKey)?.isKept === true) provisionals.delete(claimKey);
      else release(claimKey);
    },
    attached(claimKey, provisional) {
      provisionals.set(claimKey, provisional);
      changes.set(claimKey, provisional.madeAt);
    },
    provisional: (claimKey) => provisionals.get(claimKey),
    confirm(claimKey, ip) {
      provisionals.delete(claimKey);
      if (reservations.get(claimKey)?.ip !== ip) unreserve(claimKey);
    },
    detached(claimKey, attachmentId, at) {
      detachedAt.set(attachmentId, at);
      changes.set(claimKey, at);
    },
    changedAt: (claimKey) => changes.get(claimKey) ?? -Infinity,
    gone: detachedAt,
    allocated(claimKey, address) {
      made.set(claimKey, address);
      doubts.delete(claimKey);
    },
    made: (claimKey) => made.get(claimKey),
    doubt(claimKey, until) {
      doubts.set(claimKey, until);
    },
    doubtUntil: (claimKey) => doubts.get(claimKey) ?? -Infinity,
    addressReleased(addressId, at) {
      releasedAt.set(addressId, at);
    },
    released: releasedAt,
    forget(claimKey) {
      release(claimKey);
      made.delete(claimKey);
      doubts.delete(claimKey);
      changes.delete(claimKey);
    },
    prune(at) {
      for (const marks of [detachedAt, releasedAt]) {
        for (const [id, when] of marks) if (when < at) marks.delete(id);
      }
    },
  };
}
