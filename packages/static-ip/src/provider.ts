import type { Address, Attachment, Pool, Selection } from './address.ts';
import type { Resolution, Target, TargetRef } from './target.ts';

/** What a provider can do. The planner asks here instead of finding out by failing. */
export interface Capabilities {
  /** Addresses can be attached to a pod's own private address, not only to an instance. */
  readonly podTargets: boolean;
  /** `attach` may replace the address that `expected` names in one step, without a gap. */
  readonly atomicSwap: boolean;
  /** Addresses are made from a pool when they are attached: the listing has pools with free places. */
  readonly createsFromPool: boolean;
  /** `allocate`, `release` and `mark` exist. */
  readonly allocation: boolean;
  /** `quota` exists. */
  readonly quota: boolean;
  /** `internetRoutes` exists, and targets say in which network they are. */
  readonly routes: boolean;
}

/** Every call takes one: a call that cannot be abandoned hangs a worker. */
export interface CallOptions {
  /** Aborts the call. The provider adds its own deadline to it. */
  readonly signal: AbortSignal;
  /** Of a read that is shared and paced: begin soon. Others need not know the word. */
  readonly urgent?: boolean | undefined;
}

/** What a selection matched, as one read of the cloud saw it. */
export interface Listing {
  /** Sorted by id. Every address was checked against the selection again, whatever the cloud answered. */
  readonly addresses: readonly Address[];
  /** Sorted by id. Empty where addresses exist before they are attached. */
  readonly pools: readonly Pool[];
}

/** What to attach: an address that exists, or a place in a pool that makes one. */
export type Candidate =
  { readonly kind: 'address'; readonly address: Address } | { readonly kind: 'pool'; readonly pool: Pool };

export interface AttachRequest {
  readonly candidate: Candidate;
  readonly target: Target;
  /**
   * What the target holds by the caller's last read, when that may be replaced: the caller's own previous address.
   * Absent: the target must be free of static addresses. An automatic address (no id) never counts.
   */
  readonly expected?: Attachment | undefined;
}

/** One step of an operation that may need several: `again` says when to call with the same request once more. */
export type AttachStep =
  | { readonly state: 'done'; readonly ip: string; readonly attachment: Attachment }
  | { readonly state: 'again'; readonly afterMs: number };

export type DetachStep = { readonly state: 'done' } | { readonly state: 'again'; readonly afterMs: number };

export interface AllocateRequest {
  /** Marks of the owner, written in the same call: see `ownerTags`. */
  readonly tags: Readonly<Record<string, string>>;
  /** The provider's name of the pool to take it from. */
  readonly pool?: string | undefined;
  /** Where the address must be usable: `Target.location`. */
  readonly location?: string | undefined;
}

export interface Quota {
  /** Addresses that count towards the limit: not all that exist must. */
  readonly used: number;
  /** Absent: cannot be found out. */
  readonly limit?: number | undefined;
  /** What stood in the way of a better answer, such as a right that is missing; for people. */
  readonly remark?: string | undefined;
}

/** Whether a network (`Target.network`) leads to the internet, so that a public address in it can be of use. */
export type InternetRoute =
  | { readonly network: string; readonly isOpen: true }
  /** `why` names what a person would look at in the cloud; equal while that is. */
  | { readonly network: string; readonly isOpen: false; readonly why: string };

/**
 * A cloud that has static public addresses. No word of any cloud is in it.
 *
 * For all methods: ids are the provider's own and opaque; a result never aliases the provider's state; every failure
 * is a StaticIpError except an abort, which rejects with the signal's reason; nothing is retried inside: the caller
 * decides, and after a mutating call it reads first.
 */
export interface StaticIpProvider {
  readonly name: string;
  readonly capabilities: Capabilities;

  /**
   * Reads the addresses and pools that match. Repeating it is free of effects.
   * @throws StaticIpError `invalid` for an empty tag selection: it would mean every address of the account.
   */
  listAddresses(selection: Selection, options: CallOptions): Promise<Listing>;

  /**
   * Finds where the targets are and what they hold now, in as few calls as the cloud allows. One answer per ref, in
   * the order of the refs; a ref that cannot be resolved answers with an error (`notFound`, `notReady`, `invalid`,
   * `unsupported`) and never fails the others. Throws only when the read as a whole failed.
   */
  resolveTargets(refs: readonly TargetRef[], options: CallOptions): Promise<readonly Resolution[]>;

  /**
   * Takes one step towards the candidate being on the target. Repeating it after `done` answers `done` again with the
   * same address. Never takes an address from another target, and never displaces one that `expected` does not name.
   * After `unknown` the caller reads before it repeats.
   * @throws StaticIpError `conflict` (address or target changed), `exhausted` (the pool is full), `inUse`, `notReady`,
   *   `notFound`, `invalid`, `denied`, `unsupported`, `throttled`, `unavailable`, `unknown`.
   */
  attach(request: AttachRequest, options: CallOptions): Promise<AttachStep>;

  /**
   * Takes one step towards the attachment being gone. An attachment that is gone already is `done`; one made later on
   * the same target is never touched, because the id names one association only.
   */
  detach(attachment: Attachment, options: CallOptions): Promise<DetachStep>;

  /**
   * Makes a new address, marked in the same call. NOT repeatable: after `unknown` look it up by its marks.
   * @throws StaticIpError `quota`, `exhausted`, `denied`, `invalid`, `throttled`, `unavailable`, `unknown`.
   */
  allocate?(request: AllocateRequest, options: CallOptions): Promise<Address>;

  /**
   * Gives an address back. `done` answers also when it is gone already, proved by a read.
   * @throws StaticIpError `inUse` while it is attached.
   */
  release?(address: Address, options: CallOptions): Promise<void>;

  /**
   * Writes more marks on an address that exists; others stay as they are. Repeating it is free of effects.
   * @throws StaticIpError `notFound`, `denied`, `invalid`, `throttled`, `unavailable`, `unknown`.
   */
  mark?(address: Address, tags: Readonly<Record<string, string>>, options: CallOptions): Promise<void>;

  /** Addresses in use against the account's limit. */
  quota?(options: CallOptions): Promise<Quota>;

  /**
   * Whether the networks lead to the internet, in as few calls as the cloud allows. At most one answer per network; none
   * where that cannot be told. Needs a right of its own, that the provider may not have.
   * @throws StaticIpError `denied`, `throttled`, `unavailable`.
   */
  internetRoutes?(networks: readonly string[], options: CallOptions): Promise<readonly InternetRoute[]>;
}
