import type { CloudCall } from '@static-ip/provider';
import { METRICS } from './metric-definitions.ts';
import { watchProcess } from './process-metrics.ts';
import { createMetricFactory, createRegistry } from './registry.ts';

/** How one reconcile ended: the word of its outcome, or the error code. */
interface ReconcileResult {
  readonly controller: string;
  readonly outcome: string;
  readonly durationMs: number;
}

/** One request to the Kubernetes API. A watch has no duration: it is counted when it ends. */
interface KubeRequest {
  readonly verb: string;
  readonly resource: string;
  /** `ok` or the error code. */
  readonly code: string;
  readonly durationMs?: number | undefined;
}

/** The addresses of one pool by what is known of them. */
export interface PoolCounts {
  readonly free: number;
  /** Attached for a claim of this cluster. */
  readonly attached: number;
  /** Attached, but for no claim of this cluster. */
  readonly unclaimed: number;
  readonly reserved: number;
}

/** Objects by kind and by the reason of their state; `waiting` ones stand in the queue for an address. */
export interface ClaimCount {
  readonly source: string;
  readonly reason: string;
  readonly waiting: boolean;
  readonly count: number;
}

/** What the program tells, in its own words; nothing outside this folder knows Prometheus. Calls are cheap and never throw. */
export interface Metrics {
  cloudCall(call: CloudCall): void;
  kubeRequest(request: KubeRequest): void;
  /** `phase` is where it failed: list, watch, parse or handler. */
  watchFailed(resource: string, phase: string): void;
  relisted(resource: string): void;
  reconciled(result: ReconcileResult): void;
  /** The state of things is asked for at each scrape, and costs nothing in between; a later asker replaces an earlier. */
  watchQueue(controller: string, depth: () => number): void;
  /** Pools by name. */
  watchPools(pools: () => ReadonlyMap<string, PoolCounts>): void;
  watchClaims(counts: () => readonly ClaimCount[]): void;
  /** The first status that names the address, so many ms after the object's creation. */
  assigned(source: string, latencyMs: number): void;
  leading(isLeading: boolean): void;
  /** The text that Prometheus scrapes, with its content type. */
  expose(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface MetricsOptions {
  readonly version: string;
  readonly nodeVersion: string;
  readonly provider: string;
}

const MS_PER_SECOND = 1000;

/** Makes the metrics of one operator. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = createRegistry();
  const make = createMetricFactory(registry);
  const leader = make.gauge(METRICS.leader);
  const assignmentLatency = make.histogram(METRICS.assignmentLatency);
  make
    .gauge(METRICS.buildInfo)
    .set({ version: options.version, node: options.nodeVersion, provider: options.provider }, 1);
  watchProcess(make);
  return {
    ...callMetrics(make),
    ...workMetrics(make),
    ...stateMetrics(make),
    assigned: (source, latencyMs) => assignmentLatency.observe({ source }, Math.max(0, latencyMs) / MS_PER_SECOND),
    leading: (isLeading) => leader.set(isLeading ? 1 : 0),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

type Make = ReturnType<typeof createMetricFactory>;

function callMetrics(make: Make): Pick<Metrics, 'cloudCall' | 'kubeRequest'> {
  const cloudCalls = make.counter(METRICS.cloudCalls);
  const cloudDuration = make.histogram(METRICS.cloudCallDuration);
  const kubeRequests = make.counter(METRICS.kubeRequests);
  const kubeDuration = make.histogram(METRICS.kubeRequestDuration);
  return {
    cloudCall: ({ action, code, durationMs }) => {
      cloudCalls.inc({ action, code });
      cloudDuration.observe({ action }, durationMs / MS_PER_SECOND);
    },
    kubeRequest: ({ verb, resource, code, durationMs }) => {
      kubeRequests.inc({ verb, resource, code });
      if (durationMs !== undefined) kubeDuration.observe({ verb }, durationMs / MS_PER_SECOND);
    },
  };
}

function workMetrics(make: Make): Pick<Metrics, 'watchFailed' | 'relisted' | 'reconciled' | 'watchQueue'> {
  const watchFailures = make.counter(METRICS.watchFailures);
  const relists = make.counter(METRICS.relists);
  const reconciles = make.counter(METRICS.reconciles);
  const duration = make.histogram(METRICS.reconcileDuration);
  const queues = new Map<string, () => number>();
  make.gauge(METRICS.queueDepth, (gauge) => {
    for (const [controller, depth] of queues) gauge.set({ controller }, depth());
  });
  return {
    watchFailed: (resource, phase) => watchFailures.inc({ resource, phase }),
    relisted: (resource) => relists.inc({ resource }),
    reconciled: ({ controller, outcome, durationMs }) => {
      reconciles.inc({ controller, outcome });
      duration.observe({ controller }, durationMs / MS_PER_SECOND);
    },
    watchQueue: (controller, depth) => {
      queues.set(controller, depth);
    },
  };
}

function stateMetrics(make: Make): Pick<Metrics, 'watchPools' | 'watchClaims'> {
  let pools: (() => ReadonlyMap<string, PoolCounts>) | undefined;
  let claims: (() => readonly ClaimCount[]) | undefined;
  // What nobody asks for any more must not stay behind: each scrape starts from nothing.
  make.gauge(METRICS.poolAddresses, (gauge) => {
    gauge.reset();
    for (const [pool, counts] of pools?.() ?? []) {
      for (const [state, count] of Object.entries(counts)) gauge.set({ pool, state }, count);
    }
  });
  make.gauge(METRICS.claims, (gauge) => {
    gauge.reset();
    for (const { source, reason, count } of claims?.() ?? []) gauge.inc({ source, reason }, count);
  });
  make.gauge(METRICS.waiters, (gauge) => {
    gauge.reset();
    for (const { reason, count } of waiting(claims?.() ?? [])) gauge.inc({ reason }, count);
  });
  return {
    watchPools: (ask) => {
      pools = ask;
    },
    watchClaims: (ask) => {
      claims = ask;
    },
  };
}

function waiting(counts: readonly ClaimCount[]): readonly ClaimCount[] {
  return counts.filter((count) => count.waiting);
}
