import type { PlannedClaim } from '../planned-claim.ts';

/**
 * How an object stands, the worst first. Mismatch: its status names an address that the cloud does not show there.
 * Waiting: it does not have what it asks for. Releasing: it gives its address back.
 */
export const STATES = ['Mismatch', 'Waiting', 'Releasing', 'Ready'] as const;

export type State = (typeof STATES)[number];

/** What one object has, and why not. Fields are absent where there is nothing to say. */
export interface ObjectStatus extends Pick<PlannedClaim, 'kind' | 'name' | 'wants'> {
  readonly state: State;
  /** The address that the status names. */
  readonly address?: string | undefined;
  /** `Pod/web-0`, `Node/n1`, or the instance of a CiliumNode: where the address is, or shall be. */
  readonly target?: string | undefined;
  /** The private address that has it, by an Eip's status. */
  readonly privateIp?: string | undefined;
  /** As in Events, metrics and conditions. */
  readonly reason?: string | undefined;
  /** RFC 3339: since when an Eip has been in its state; of a CiliumNode that waits, its age. */
  readonly since?: string | undefined;
  readonly message?: string | undefined;
}

/** The part of a status that says how things stand. */
export type Standing = Pick<ObjectStatus, 'state' | 'reason' | 'since' | 'message'>;

/** The use of one pool: how many addresses are in which state, and how many objects without one ask for it. */
export interface PoolStatus {
  readonly kind: 'Pool';
  /** The selection in words. */
  readonly name: string;
  readonly total: number;
  readonly free: number;
  /** To a target that an object asks for. */
  readonly attached: number;
  /** Attached, but to no such target. */
  readonly unclaimed: number;
  /** Kept by the cloud. */
  readonly reserved: number;
  readonly waiting: number;
}
