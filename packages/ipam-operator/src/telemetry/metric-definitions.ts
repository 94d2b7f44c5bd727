import { CALL_BUCKETS, KUBE_METRICS, PROCESS_METRICS } from '@static-ip/shell';
import type { MetricDefinition } from '@static-ip/shell';

/** All metrics of the operator: the registry and the reference page are made from this. Names end in their unit. */
export const METRICS = {
  buildInfo: {
    name: 'static_ip_build_info',
    type: 'gauge',
    help: 'Always 1; the labels say what is running',
    labels: ['version', 'node', 'provider'],
  },
  leader: {
    name: 'static_ip_leader',
    type: 'gauge',
    help: '1 while this replica holds the lease and acts, 0 while it stands by',
    labels: [],
  },
  cloudCalls: {
    name: 'static_ip_cloud_calls_total',
    type: 'counter',
    help: "Calls to the cloud by action and result: ok, or the cloud's own error code",
    labels: ['action', 'code'],
  },
  cloudCallDuration: {
    name: 'static_ip_cloud_call_duration_seconds',
    type: 'histogram',
    help: 'Time from sending a call to the cloud to its answer',
    labels: ['action'],
    buckets: CALL_BUCKETS,
  },
  queueDepth: {
    name: 'static_ip_queue_depth',
    type: 'gauge',
    help: 'Objects that are due and that no worker has taken yet',
    labels: ['controller'],
  },
  reconciles: {
    name: 'static_ip_reconciles_total',
    type: 'counter',
    help: 'Finished reconciles by outcome: settled, again, or the error code',
    labels: ['controller', 'outcome'],
  },
  reconcileDuration: {
    name: 'static_ip_reconcile_duration_seconds',
    type: 'histogram',
    help: 'Time of one reconcile',
    labels: ['controller'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 120],
  },
  poolAddresses: {
    name: 'static_ip_pool_addresses',
    type: 'gauge',
    help: 'Addresses of a pool by state: free, attached (for a claim of this cluster), unclaimed (attached, but for none) or reserved',
    labels: ['pool', 'state'],
  },
  claims: {
    name: 'static_ip_claims',
    type: 'gauge',
    help: 'Objects that ask for an address, by kind and the reason of their state',
    labels: ['source', 'reason'],
  },
  waiters: {
    name: 'static_ip_waiters',
    type: 'gauge',
    help: 'Objects that wait for an address, by reason',
    labels: ['reason'],
  },
  sweptAddresses: {
    name: 'static_ip_sweep_addresses',
    type: 'gauge',
    help: 'Addresses with the marks of this cluster at the last look of the sweep, by state: leaked, or why one is spared',
    labels: ['state'],
  },
  quotaUsed: {
    name: 'static_ip_address_quota_used',
    type: 'gauge',
    help: 'Addresses of the account and region that count towards its quota, at the last look',
    labels: [],
  },
  quotaLimit: {
    name: 'static_ip_address_quota_limit',
    type: 'gauge',
    help: 'Addresses that the account may have in the region; absent where that cannot be found out',
    labels: [],
  },
  assignmentLatency: {
    name: 'static_ip_assignment_latency_seconds',
    type: 'histogram',
    help: 'Time from the creation of an object to the first status that names its address',
    labels: ['source'],
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800],
  },
  ...KUBE_METRICS,
  ...PROCESS_METRICS,
} as const satisfies Record<string, MetricDefinition>;
