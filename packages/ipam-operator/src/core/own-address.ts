import { ownershipOf } from '@static-ip/provider';
import type { Address, Listing } from '@static-ip/provider';
import type { Claim, OwnWish } from './claim.ts';
import type { Facts } from './facts.ts';
import { indexListing, isAt, placeOf } from './listing-index.ts';

/** Which addresses are a claim's own, as one listing shows it. */
export interface OwnAddresses {
  /** The one to use; absent when none is known. */
  readonly address?: Address | undefined;
  /** Others that were made for the same claim: an allocation whose answer was lost, or one that two processes made. */
  readonly surplus: readonly Address[];
}

/** Finds the claim's own address among those of its selection. */
export function ownAddresses(facts: Facts, wish: OwnWish, listing: Listing): OwnAddresses {
  const { origin } = wish;
  switch (origin.kind) {
    case 'given':
      return { address: indexListing(listing).byId.get(origin.addressId), surplus: [] };
    case 'adopted':
      return { address: adopted(facts, listing), surplus: [] };
    case 'allocated': {
      const isMine = (address: Address): boolean => isMadeFor(address, facts.claim.uid, origin.clusterUid);
      const [address, ...surplus] = withMade(facts, listing).filter(isMine).toSorted(byClaimTo(facts.claim));
      return { address, surplus };
    }
  }
}

/**
 * Marks of this cluster, or the predecessor's, which name no cluster: a uid is enough, since no other object has it.
 */
export function isMadeFor({ tags }: Address, claimUid: string, clusterUid: string): boolean {
  const ownership = ownershipOf(tags, clusterUid);
  return (ownership.kind === 'ours' || ownership.kind === 'peer') && ownership.claimUid === claimUid;
}

/**
 * The one that the status names, else one that was attached in place of it and is not written down yet: the place was,
 * before the call.
 */
function adopted({ claim, provisional, taken }: Facts, listing: Listing): Address | undefined {
  const { byId, byPlace } = indexListing(listing);
  const { assignedPlace } = claim;
  const there = assignedPlace && byPlace.get(placeOf(assignedPlace));
  const ids = [claim.assignedId, provisional?.attachment.addressId, there?.addressId];
  const [id] = ids.filter((one) => one !== undefined && byId.has(one) && !taken.has(one));
  return id === undefined ? undefined : byId.get(id);
}

/** What the listing shows, and what this process made since; without what it released since. */
function withMade({ made, released, now, rules }: Facts, { addresses }: Listing): readonly Address[] {
  const listed = addresses.filter(({ id }) => !released.has(id));
  if (made === undefined || released.has(made.address.id)) return listed;
  if (listed.some(({ id }) => id === made.address.id)) return listed;
  // What no read has shown for so long does not exist any more.
  return now - made.at < rules.visibilityWindowMs ? [...listed, made.address] : listed;
}

/** The one that is in use where the status says, then the one that the status names, then the lowest id. */
function byClaimTo({ assignedId, assignedPlace }: Claim): (a: Address, b: Address) => number {
  const rank = ({ id, attachment }: Address): number => {
    if (attachment !== undefined && isAt(attachment, assignedPlace)) return 0;
    if (id === assignedId) return 1;
    return attachment === undefined ? 3 : 2;
  };
  return (a, b) => rank(a) - rank(b) || compareIds(a.id, b.id);
}

function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
