import type { Verb } from '../decorators/around-verbs.ts';
import type { StaticIpErrorCode } from '../errors.ts';
import type { Capabilities, StaticIpProvider } from '../provider.ts';
import type { TargetRef } from '../target.ts';

/** The primary private address of an instance, or a pod's on it. */
export type InstanceRef = Extract<TargetRef, { kind: 'instance' }>;
export type PodRef = Extract<TargetRef, { kind: 'privateIp' }>;
export type Tags = Readonly<Record<string, string>>;

/**
 * One empty cloud with one provider, as a case uses it. Everything but `provider` and `elapse` acts on the cloud itself,
 * as its owner or as somebody else, and takes effect at once.
 */
export interface ContractWorld extends WorldAbilities {
  readonly provider: StaticIpProvider;
  /** Lets time pass: really, or on the provider's clock. */
  elapse(ms: number): Promise<void>;
  /** A running instance without a static address. */
  addInstance(): Promise<InstanceRef>;
  /** So many free addresses with these tags; in a cloud of pools, one pool with so many free places. */
  addSupply(supply: { readonly tags: Tags; readonly count: number }): Promise<void>;
  /** Somebody else puts a static address of their own on the target, whatever is there. */
  occupy(ref: TargetRef): Promise<void>;
  /** Somebody else takes the static address off the target. */
  vacate(ref: TargetRef): Promise<void>;
  /** The static address that is on the target now: the truth, not a read of the provider. */
  ipOn(ref: TargetRef): Promise<string | undefined>;
  close(): Promise<void>;
}

/** What a world may be able to do. A harness that lacks one says why, in `gaps`. */
export interface WorldAbilities {
  /** A private address of a pod on the instance's interface. */
  addPod?(instance: InstanceRef): Promise<PodRef>;
  /** An instance that is still starting, and `start` to end that. */
  addStarting?(): Promise<{ readonly ref: InstanceRef; readonly start: () => Promise<void> }>;
  /** An instance with a public address that the cloud gave by itself. */
  addAutomatic?(): Promise<InstanceRef>;
  /** The instance goes away, and its address becomes free. */
  removeInstance?(instance: InstanceRef): Promise<void>;
  /** An address with these tags that a service of the cloud keeps. */
  addReserved?(tags: Tags): Promise<void>;
  /** An address with these tags that can only be attached at another location. */
  addElsewhere?(tags: Tags): Promise<void>;
  /** From now on reads show the world as it is now, until `freshReads`. */
  staleReads?(): Promise<void>;
  freshReads?(): Promise<void>;
  /** The next call is refused. */
  failNext?(verb: Verb, code: Extract<StaticIpErrorCode, 'denied' | 'throttled' | 'unavailable'>): Promise<void>;
  /** The next call has its effect, and its reply is lost. */
  loseReplyOf?(verb: Verb): Promise<void>;
  /** The next call is never answered. */
  hangNext?(verb: Verb): Promise<void>;
  /** The next operation is accepted and then fails, leaving what such failures leave. */
  failHalfway?(): Promise<void>;
  /** The provider loses the right to change the cloud, with this reason. */
  loseFence?(reason: Error): void;
  /** The network of the target, which led to the internet, does no longer. */
  closeNetwork?(ref: InstanceRef): Promise<void>;
  /** The account may have no more addresses than it has. */
  fillQuota?(): Promise<void>;
}

export type Ability = keyof WorldAbilities;

/** A provider under test. */
export interface ContractHarness {
  readonly name: string;
  /** What the provider will say it can do: cases that need what it cannot do are left out. */
  readonly capabilities: Capabilities;
  /** What its worlds can do. */
  readonly abilities: readonly Ability[];
  /** By ability or by id of a case: why it is missing or fails. */
  readonly gaps: Readonly<Record<string, string>>;
  /** A new world for each case: cases share nothing. */
  open(): Promise<ContractWorld>;
}
