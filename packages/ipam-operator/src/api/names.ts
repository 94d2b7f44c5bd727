/**
 * The names that users, other programs and the predecessor k8s-eip-operator meet. They are an interface: none may change.
 * The tags on addresses are in the provider package (`OWNER_TAG`), since what they allow is decided there.
 */

/** Labels that are read or written. */
export const LABEL = {
  /** On pods and nodes: this operator may give it an address. Any value but `false` counts; see `isManaged`. */
  manage: 'eip.materialize.cloud/manage',
  /** On pods: `true`, in any case of letters, asks for an Eip of the pod's own. */
  autocreateEip: 'eip.materialize.cloud/autocreate_eip',
  /** Written on nodes that an Eip selects: `true` on the ready one with the address, `false` on the others. */
  egressGatewayReady: 'egress-gateway.materialize.cloud/ready-status',
  /** Written on Eips that were created for a pod: they go with it. */
  autocreated: 'eip.materialize.cloud/autocreated',
  /** What the predecessor's first releases read instead of `manage`: only ever cleaned up after. */
  legacyManage: 'eip.aws.materialize.com/manage',
  /** EKS puts it on pods that run on Fargate, whose interfaces belong to AWS. */
  fargateProfile: 'eks.amazonaws.com/fargate-profile',
} as const;

/** Annotations that are read or written. */
export const ANNOTATION = {
  /** Written on pods: external-dns publishes this address instead of the pod's own. */
  externalDnsTarget: 'external-dns.alpha.kubernetes.io/target',
  /** Written on pods: id of the address it has; the node agent reads it. */
  allocationId: 'eip.materialize.cloud/allocation_id',
  /** Read on pods: the branch interface that the VPC CNI gave it; see `parsePodEni`. */
  podEni: 'vpc.amazonaws.com/pod-eni',
} as const;

/** Finalizers that are set or removed. */
export const FINALIZER = {
  /** On Eips: something may have to be detached or released first. */
  eip: 'eip.materialize.cloud/destroy',
  /** On pods: the address has to be taken off first. */
  pod: 'eip.materialize.cloud/disassociate',
  /** On nodes: the address has to be taken off first. */
  node: 'eip.materialize.cloud/disassociate_node',
} as const;

/** Finalizers that nobody serves any more: removed from pods wherever they are found. */
export const LEGACY_POD_FINALIZERS: readonly string[] = [
  /** Of the predecessor's first releases. */
  'eip.aws.materialize.com/disassociate',
  /** Of the predecessor's agent on Cilium nodes. */
  'eip.materialize.cloud/cilium-no-masquerade-rule',
];

/** Tag with the cluster's name on addresses of the predecessor's first releases: candidates for the sweep. */
export const LEGACY_CLUSTER_TAG = 'eip.aws.materialize.com/cluster_name';

/** Keys of taints. */
export const TAINT = {
  /** On new nodes, by the user: keeps pods away until the node has its address. Removed when that is confirmed. */
  addressPending: 'eip.materialize.cloud/address-pending',
  /** By Kubernetes: the node cannot be reached. */
  unreachable: 'node.kubernetes.io/unreachable',
  /** By Kubernetes: the node is not ready. */
  notReady: 'node.kubernetes.io/not-ready',
  /** By the cloud's node controller: the instance is shut down. */
  shutdown: 'node.cloudprovider.kubernetes.io/shutdown',
} as const;

/** Types of conditions. */
export const CONDITION = {
  /** On Eips: the address is on its target, confirmed by the cloud. */
  ready: 'Ready',
  /** On Eips: traffic that leaves the target was seen to carry the address. */
  egressVerified: 'EgressVerified',
  /** On Eips, only where it is missing: the network of the target leads to the internet. */
  internetRoute: 'InternetRoute',
  /** On pods, as a readiness gate: the pod has its address. */
  podReady: 'eip.materialize.cloud/ready',
  /** On pods, by the node agent: whether the pod really leaves with its address. */
  podEgressVerified: 'eip.materialize.cloud/egress-verified',
  /** On nodes, by their kubelet: the node can run pods. */
  nodeReady: 'Ready',
} as const;

/** Field managers of server-side apply. */
export const FIELD_MANAGER = {
  /** For all that is new. */
  own: 'static-ip',
  /** For the annotations of pods and for the CRD: the predecessor's, so that what it owned is ours to change and remove. */
  predecessor: 'eip.materialize.cloud',
} as const;

/**
 * Whether the operator may give this pod or node an address. The predecessor asked only whether the label is there, so
 * any value counts; but `false`, in any case of letters, means no here.
 */
export function isManaged(labels: Readonly<Record<string, string>>): boolean {
  const value = labels[LABEL.manage];
  return value !== undefined && value.toLowerCase() !== 'false';
}

/** Whether a pod asks for an Eip of its own. */
export function wantsAutocreatedEip(labels: Readonly<Record<string, string>>): boolean {
  return labels[LABEL.autocreateEip]?.toLowerCase() === 'true';
}
