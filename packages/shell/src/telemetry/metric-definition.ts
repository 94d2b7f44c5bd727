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
export const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What a program tells of its own talk with the API server. */
export const KUBE_METRICS = {
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
} as const satisfies Record<string, MetricDefinition>;

/** What a program tells of its own process. */
export const PROCESS_METRICS = {
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
