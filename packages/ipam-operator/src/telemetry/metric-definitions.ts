/** One metric: its Prometheus name, type, the sentence that explains it, and its labels. */
export interface MetricDefinition {
  readonly name: `static_ip_${string}` | `process_${string}` | `nodejs_${string}`;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in seconds, for histograms. */
  readonly buckets?: readonly number[];
}

/** A call to a cloud or to the API server: from a cache hit to a deadline. */
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

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
  kubeRequests: {
    name: 'static_ip_kube_requests_total',
    type: 'counter',
    help: 'Requests to the Kubernetes API by verb, resource and result: ok, or the error code',
    labels: ['verb', 'resource', 'code'],
  },
  kubeRequestDuration: {
    name: 'static_ip_kube_request_duration_seconds',
    type: 'histogram',
    help: 'Time from sending a request to the Kubernetes API to its answer, watches left out',
    labels: ['verb'],
    buckets: CALL_BUCKETS,
  },
  watchFailures: {
    name: 'static_ip_watch_failures_total',
    type: 'counter',
    help: 'Failed lists and watches (tried again), and objects skipped for their shape, by resource and phase',
    labels: ['resource', 'phase'],
  },
  relists: {
    name: 'static_ip_relists_total',
    type: 'counter',
    help: 'Complete lists that replaced the local copy of a resource',
    labels: ['resource'],
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
  assignmentLatency: {
    name: 'static_ip_assignment_latency_seconds',
    type: 'histogram',
    help: 'Time from the creation of an object to the first status that names its address',
    labels: ['source'],
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800],
  },
  processCpu: {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    help: 'CPU time of the process, user and system',
    labels: [],
  },
  processMemory: {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory of the process',
    labels: [],
  },
  processStart: {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'When the process started, seconds since the epoch',
    labels: [],
  },
  heapUsed: {
    name: 'nodejs_heap_size_used_bytes',
    type: 'gauge',
    help: 'JavaScript heap in use',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;
