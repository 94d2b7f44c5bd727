/** Everything by which this job's traces in the kernel are recognised, and what it must keep clear of. */

/** Annotation of a pod that holds a public address; its value is the address's allocation id. */
export const ALLOCATION_ANNOTATION = 'eip.materialize.cloud/allocation_id';

/**
 * Our nftables table (family ip). Its name must not contain `CILIUM_`: Cilium deletes every iptables rule whose text does.
 */
export const TABLE = 'static_ip';
export const KEEP_SOURCE_CHAIN = 'keep_source';
export const MARK_REPLIES_CHAIN = 'mark_replies';
export const PODS_SET = 'pods';
export const INSIDE_SET = 'inside';

/** iptables' nat chains run at 100; ours must bind the connection before they are asked. */
export const KEEP_SOURCE_PRIORITY = 90;
/** After iptables' mangle chains (-150), which restore Cilium's connection mark. */
export const MARK_REPLIES_PRIORITY = -140;

/** kube-proxy's request for masquerading; such packets are left to it. */
export const KUBE_MASQUERADE_MARK = 0x4000;
/** The one bit of the packet mark that neither Cilium 1.19 nor kube-proxy uses. */
export const REPLY_MARK = 0x2000;

/** Routing protocol number of our rules: not in iproute2's rt_protos, so nobody else's. */
export const RULE_PROTOCOL = 201;
/** After Cilium's rules (109 to 111), before main (32766). */
export const LINK_LOCAL_PRIORITY = 199;
export const EGRESS_PRIORITY = 200;
/** A number of its own: the kernel deletes a rule with a mark when asked for the same one without. */
export const REPLY_PRIORITY = 201;

export const MAIN_TABLE = 254;
/** Cilium's routing table of an interface is 10 + its device index in ENI mode. */
export const ENI_TABLE_BASE = 10;

/** IMDS, the DNS resolver and NTP of the clouds: always reached as before. */
export const LINK_LOCAL = '169.254.0.0/16';

/** Priorities of Cilium's per-pod rules: 111 in ENI mode, 110 in the older form. */
export const CILIUM_EGRESS_PRIORITIES: readonly number[] = [110, 111];
/** RTPROT_KERNEL, under which Cilium makes its rules. */
export const KERNEL_PROTOCOL = 2;
/** RTPROT_UNSPEC, what rules of programs that name no protocol carry. */
export const UNSPECIFIED_PROTOCOL = 0;
