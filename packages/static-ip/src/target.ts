import type { StaticIpError } from './errors.ts';
import type { Attachment } from './address.ts';

/** What an address shall be attached to, as Kubernetes knows it. */
export type TargetRef =
  /** The primary private address of the instance's primary interface. */
  | { readonly kind: 'instance'; readonly instanceId: string }
  /** A pod's private address: on an interface of the instance, or on the interface that is named. */
  | {
      readonly kind: 'privateIp';
      readonly privateIp: string;
      readonly instanceId?: string | undefined;
      readonly interfaceId?: string | undefined;
    };

/** A public address that the cloud gave by itself and takes back by itself: no id, never ours, never in the way. */
export interface AutomaticAddress {
  readonly ip: string;
}

/** A place for exactly one address, as the cloud knows it. */
export interface Target {
  readonly ref: TargetRef;
  /** One per (interface, private address): equal ids are the same place. */
  readonly id: string;
  readonly interfaceId: string;
  readonly privateIp: string;
  readonly instanceId?: string | undefined;
  /** Addresses must be of the same location. Absent: the provider cannot tell. */
  readonly location?: string | undefined;
  /** The part of the cloud's network it is in, opaque: see `internetRoutes`. Absent: the provider cannot tell. */
  readonly network?: string | undefined;
  /** The static address it holds by this read, whoever put it there. */
  readonly holding?: Attachment | undefined;
  readonly automatic?: AutomaticAddress | undefined;
}

/** The answer for one ref. */
export type Resolution =
  { readonly ref: TargetRef; readonly target: Target } | { readonly ref: TargetRef; readonly error: StaticIpError };

/** A key that is equal for refs that mean the same thing. */
export function targetRefKey(ref: TargetRef): string {
  if (ref.kind === 'instance') return `instance/${ref.instanceId}`;
  return `privateIp/${ref.interfaceId ?? ref.instanceId ?? ''}/${ref.privateIp}`;
}
