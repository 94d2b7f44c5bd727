/** Which addresses: by tags that must all be equal, by ids, or by one tag with any of several values (a batch). */
export type Selection =
  | { readonly by: 'tags'; readonly tags: Readonly<Record<string, string>> }
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly by: 'tagValues'; readonly key: string; readonly values: readonly string[] };

/**
 * One address on one private address of one interface, as a read saw it. `id` is a fencing token: a new attachment has
 * a new id, so acting on an old one cannot hurt a newer one.
 */
export interface Attachment {
  readonly id: string;
  readonly addressId: string;
  /** The public address, dotted quad. */
  readonly ip: string;
  readonly interfaceId?: string | undefined;
  readonly privateIp?: string | undefined;
  readonly instanceId?: string | undefined;
}

/** A static public address that exists in the cloud. */
export interface Address {
  readonly id: string;
  /** Dotted quad, checked to be one. */
  readonly ip: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Where it can be attached; equal to `Target.location`. Absent: anywhere. */
  readonly location?: string | undefined;
  /** Absent: free, if `reserved` is absent too. */
  readonly attachment?: Attachment | undefined;
  /** Why the address can never be attached although it looks free (held by a cloud service, being moved…). */
  readonly reserved?: string | undefined;
}

/** A range that makes an address at the moment of attaching. */
export interface Pool {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly location?: string | undefined;
  readonly free: number;
  readonly total: number;
}
