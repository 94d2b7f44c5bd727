/**
 * Why a claim is in its state: the words of Events, metrics, `plan` and conditions. `Normal` is an Event that tells of
 * the intended course of things, `Warning` one that a person should read, `none` is said in metrics and `plan` only.
 */
export const REASONS = {
  /** The wanted address is on the target, confirmed by a read. */
  AddressAssigned: 'Normal',
  /** The claim has an address of its own that is on no target yet. */
  AddressReserved: 'Normal',
  /** The claim's own address is attached somewhere by somebody else: left alone. */
  AddressInUse: 'Warning',
  /** There is nothing to attach the address to. */
  TargetMissing: 'none',
  /** No operator has acted on the object as it is now: said in `status` only. */
  NotServed: 'none',
  /** No tags are asked for, and nothing is held: the feature is off for this object. */
  NotRequested: 'none',
  /** The address was taken off its target because nothing asks for it any more. */
  AddressDetached: 'Normal',
  /** The tags are gone; the address stays for the grace time. */
  TagsRemoved: 'Normal',
  /** Addresses match the tags, but none is free: waiting, oldest first. */
  PoolExhausted: 'Warning',
  /** No address has all of the tags. */
  NoAddressMatches: 'Warning',
  /** The only free addresses are bound to another location than the target's. */
  LocationMismatch: 'Warning',
  /** The target holds a static address that is not this claim's: left alone. */
  TargetOccupied: 'Warning',
  /** Another claim has the better right to the same target. */
  TargetClaimed: 'Warning',
  /** The address is attached, and its network does not lead to the internet. */
  NoInternetRoute: 'Warning',
  /** The address that the status named is no longer on the target, and could not be put back. */
  AddressLost: 'Warning',
  /** The cloud does not know the instance. */
  InstanceNotFound: 'Warning',
  /** No interface of the pod's node has the pod's address: one of an overlay is no address of the VPC. */
  PrivateIpUnknown: 'Warning',
  /** The instance exists but cannot take an address yet. */
  InstanceNotRunning: 'Warning',
  /** Neither the object nor its Node says which instance it is. */
  InstanceUnknown: 'Warning',
  /** The Node's provider id cannot be read as an instance of this cloud. */
  ProviderIdInvalid: 'Warning',
  /** The tags break the cloud's limits, so nothing can match them. */
  TagsInvalid: 'Warning',
  /** The tags lack one that this operator is told to require. */
  TagNotAllowed: 'Warning',
  /** Cilium's own operator serves this node: observed only. */
  ManagedByCilium: 'none',
  /** Observed only, and the status does not agree with the cloud. */
  DriftObserved: 'Warning',
  /** The cloud refuses an action or the credentials. */
  AccessDenied: 'Warning',
  /** The account's quota is reached. */
  QuotaExceeded: 'Warning',
  /** The cloud refuses for the rate of calls: tried again, never a failure of the object. */
  CloudThrottled: 'none',
  /** The cloud does not answer, or answers with faults of its own. */
  CloudUnavailable: 'Warning',
  /** Somebody else was faster; read again. */
  Conflict: 'none',
  /** The cloud says the request can never succeed. */
  RequestInvalid: 'Warning',
  /** The provider cannot do this. */
  Unsupported: 'Warning',
  /** A fault in this program: the log has the details. */
  InternalError: 'Warning',
  /** Attached, and waiting for a read that shows it. */
  Confirming: 'none',
  /** The provider is at a step that takes time. */
  InProgress: 'none',
  /** The node has its address: its start-up taint was removed. */
  StartupTaintRemoved: 'Normal',
  /** The node has no address, and its start-up taint was removed all the same, after the time that was set for it. */
  StartupTaintGivenUp: 'Warning',
} as const;

export type Reason = keyof typeof REASONS;
