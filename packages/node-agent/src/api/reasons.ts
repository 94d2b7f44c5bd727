/**
 * What the agent has to say, in Events on its Node, in metrics and in `doctor`. `Normal` is an Event that tells of the
 * intended course of things, `Warning` one that a person should read, `none` is said in metrics and `doctor` only.
 */
export const REASONS = {
  /** The CiliumNode has the wanted tags, and we wrote them. */
  TagsPublished: 'Normal',
  /** The CiliumNode has the wanted tags, and somebody else wrote them: nothing to do. */
  TagsPublishedByOther: 'none',
  /** Nothing asks for tags, and none of ours are published. */
  TagsNotRequested: 'none',
  /** Nothing asks for tags any more: what we published goes after the grace time. */
  TagsRemovalPending: 'Normal',
  /** What we had published was taken back, since nothing asks for it any more. */
  TagsWithdrawn: 'Normal',
  /** The configuration cannot be read for certain: what is published stays. */
  TagsKept: 'none',
  /** There is no CiliumNode of this node yet. */
  CiliumNodeMissing: 'none',
  /** Cilium's own agent publishes tags on this node: left to it. */
  LeftToCilium: 'none',
  /** The tags on the CiliumNode are another writer's and differ from the wanted ones: left alone. */
  TagsDiffer: 'Warning',
  /** Another writer took our tags away; they are written once more. */
  TagsRemovedByOther: 'none',
  /** Another writer took our tags away twice: not fought over. */
  TagsContested: 'Warning',
  /** The CiliumNode CRD of this cluster has no `static-ip-tags`: the server drops them. */
  TagsNotServed: 'Warning',
  /** Told to observe only, and the tags are not as wanted. */
  ObservedOnly: 'none',
  /** Something in the CNI configuration could not be read. */
  CniConfigError: 'Warning',
  /** Something in the CNI configuration will surprise somebody. */
  CniConfigWarning: 'Warning',
  /** Pods with an address of their own really leave with it. */
  SourcesKept: 'none',
  /** No pod of this node holds an address. */
  NoAddressHolders: 'none',
  /** Nobody masquerades on this node, so nothing is to be done. */
  MasqueradeOff: 'Normal',
  /** Cilium masquerades in BPF, which no rule of the host can prevent. */
  MasqueradeInBpf: 'Warning',
} as const;

/** One of the closed list. */
export type Reason = keyof typeof REASONS;
