import type { Address, Candidate, IdSet, PlaceCounts } from '@static-ip/provider';
import type { Attempt, Made, Own, Provisional } from '../../core/facts.ts';

/**
 * What this process knows before the cloud's reads show it: who has reserved which address, which attachments were
 * accepted a moment ago or may have been, and which
 * were taken off. Reads may be seconds old; these marks bridge the gap.
 */
export interface Holds {
  /** Reserves the candidate for the claim, in place of what it had. False when another claim has it. */
  reserve(claimKey: string, candidate: Candidate): boolean;
  /** The same for an address that is the claim's own, wherever it is attached. */
  keep(claimKey: string, address: Pick<Address, 'id' | 'ip'>): boolean;
  reservedIp(claimKey: string): string | undefined;
  /** Addresses that others have, whatever a listing says that began at `listedAt`: reserved by claims, or lost later. */
  takenFor(claimKey: string, listedAt: number): IdSet;
  placesTakenFor(claimKey: string): PlaceCounts;
  /** Gives the claim's reservation up, unless the address is its own. */
  giveUp(claimKey: string): void;
  /** Forgets the claim's reservation and all that was attached or may have been. */
  release(claimKey: string): void;
  /** The same when what was attached is off again; but what is the claim's own stays reserved for it. */
  dropTry(claimKey: string): void;
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
  addressRetained(addressId: string, at: number): void;
  readonly retained: IdSet;
  /** The claim is gone: forgets everything about it. */
  forget(claimKey: string): void;
  /** Forgets detachments, losses, releases and marks from before `at` (monotonic ms): no read is that old. */
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
  const attempts = new Map<string, Attempt>();
  const detachedAt = new Map<string, number>();
  const owns = new Map<string, Own>();
  const lostAt = new Map<string, number>();
  const releasedAt = new Map<string, number>();
  const retainedAt = new Map<string, number>();
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
    owns.delete(claimKey);
    provisionals.delete(claimKey);
    attempts.delete(claimKey);
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
    takenFor: (claimKey, listedAt) => ({
      has(id) {
        const owner = ownerOf.get(id);
        if (owner !== undefined && owner !== claimKey) return true;
        return (lostAt.get(id) ?? -Infinity) >= listedAt;
      },
    }),
    placesTakenFor: (claimKey) => ({
      get: (poolId) =>
        [...reservations].filter(([key, reserved]) => key !== claimKey && reserved.poolId === poolId).length,
    }),
    giveUp(claimKey) {
      if (reservations.get(claimKey)?.isKept !== true) unreserve(claimKey);
    },
    release,
    dropTry(claimKey) {
      if (reservations.get(claimKey)?.isKept !== true) return release(claimKey);
      provisionals.delete(claimKey);
      attempts.delete(claimKey);
    },
    attached(claimKey, provisional) {
      attempts.delete(claimKey);
      provisionals.set(claimKey, provisional);
      owns.set(claimKey, { ip: provisional.attachment.ip, at: provisional.madeAt });
      changes.set(claimKey, provisional.madeAt);
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
    addressRetained(addressId, at) {
      retainedAt.set(addressId, at);
    },
    retained: retainedAt,
    forget(claimKey) {
      release(claimKey);
      made.delete(claimKey);
      doubts.delete(claimKey);
      changes.delete(claimKey);
    },
    prune(at) {
      for (const times of [detachedAt, lostAt, releasedAt, retainedAt]) {
        for (const [id, when] of times) if (when < at) times.delete(id);
      }
    },
  };
}
