import type { Address, Attachment, Listing } from '@static-ip/provider';

/** A listing by the two keys that every claim of its pool asks for. */
export interface ListingIndex {
  readonly byId: ReadonlyMap<string, Address>;
  /** What is attached, by the place it is attached to. */
  readonly byPlace: ReadonlyMap<string, Attachment>;
}

interface Place {
  readonly interfaceId?: string | undefined;
  readonly privateIp?: string | undefined;
}

const indexes = new WeakMap<Listing, ListingIndex>();

/** The index of a listing, made once: thousands of claims are planned from the same read. */
export function indexListing(listing: Listing): ListingIndex {
  const known = indexes.get(listing);
  if (known !== undefined) return known;
  const index = {
    byId: new Map(listing.addresses.map((address) => [address.id, address])),
    byPlace: new Map(
      listing.addresses.flatMap(({ attachment }) =>
        attachment?.interfaceId === undefined ? [] : [[placeOf(attachment), attachment] as const],
      ),
    ),
  };
  indexes.set(listing, index);
  return index;
}

/** Equal for an attachment and a target that are the same private address of the same interface. */
export function placeOf({ interfaceId, privateIp }: Place): string {
  return `${interfaceId ?? ''}/${privateIp ?? ''}`;
}

/** True when the attachment is at this place. */
export function isAt(attachment: Attachment, place: Place | undefined): boolean {
  return place !== undefined && placeOf(attachment) === placeOf(place);
}
