import { ownershipOf } from '@static-ip/provider';
import type { Address, Listing } from '@static-ip/provider';
import type { Claim, OwnWish } from './claim.ts';
import type { Facts } from './facts.ts';
import { indexListing, placeOf } from './listing-index.ts';

/** Which addresses are a claim's own, as one listing shows it. */
export interface OwnAddresses {
  /** The one to use; absent when none is known. */
  readonly address?: Address | undefined;
  /** Others that were made for the same claim: an allocation whose answer was lost, or one that two processes made. */
  readonly surplus: readonly Address[];
}

/** Finds the claim's own address among those of its selection. */
export function ownAddresses(facts: Facts, wish: OwnWish, listing: Listing): OwnAddresses {
  const { claim } = facts;
  const { origin } = wish;
  switch (origin.kind) {
    case 'given':
      return { address: indexListing(listing).byId.get(origin.addressId), surplus: [] };
    case 'adopted': {
      const id = claim.assignedId;
      return { address: id === undefined ? undefined : indexListing(listing).byId.get(id), surplus: [] };
    }
    case 'allocated': {
      const isMine = (address: Address): boolean => isMadeFor(address, claim.uid, origin.clusterUid);
      const [address, ...surplus] = withMade(facts, listing).filter(isMine).toSorted(byClaimTo(claim));
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

/** What the listing shows, and what this process made since; without what it released since. */
function withMade({ made, released, now, rules }: Facts, listing: Listing): readonly Address[] {
  const listed = listing.addresses.filter(({ id }) => !released.has(id));
  if (made === undefined || released.has(made.address.id) || indexListing(listing).byId.has(made.address.id))
    return listed;
  // What no read has shown for so long does not exist any more.
  return now - made.at < rules.visibilityWindowMs ? [...listed, made.address] : listed;
}

/** The one that is in use where the status says, then the one that the status names, then the lowest id. */
function byClaimTo({ assignedId, assignedPlace }: Claim): (a: Address, b: Address) => number {
  const rank = ({ id, attachment }: Address): number => {
    if (attachment !== undefined && assignedPlace !== undefined && placeOf(attachment) === placeOf(assignedPlace)) {
      return 0;
    }
    if (id === assignedId) return 1;
    return attachment === undefined ? 3 : 2;
  };
  return (a, b) => rank(a) - rank(b) || compareIds(a.id, b.id);
}

function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
