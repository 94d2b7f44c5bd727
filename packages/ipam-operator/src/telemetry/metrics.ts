import type { CloudCall, Quota } from '@static-ip/provider';
import { createKubeMetrics, createMetricFactory, createRegistry, watchProcess } from '@static-ip/shell';
import type { ExposedMetrics, KubeMetrics, MetricDefinition, MetricFactory } from '@static-ip/shell';
import { METRICS } from './metric-definitions.ts';

/** How one reconcile ended: the word of its outcome, or the error code. */
interface ReconcileResult {
  readonly controller: string;
  readonly outcome: string;
  readonly durationMs: number;
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
export interface Metrics extends KubeMetrics, ExposedMetrics {
  cloudCall(call: CloudCall): void;
  reconciled(result: ReconcileResult): void;
  /** The state of things is asked for at each scrape, and costs nothing in between; a later asker replaces an earlier. */
  watchQueue(controller: string, depth: () => number): void;
  /** Pools by name. */
  watchPools(pools: () => ReadonlyMap<string, PoolCounts>): void;
  watchClaims(counts: () => readonly ClaimCount[]): void;
  /** Addresses that the sweep looked at, by state. */
  watchSweep(counts: () => ReadonlyMap<string, number>): void;
  watchQuota(last: () => Quota | undefined): void;
  /** The first status that names the address, so many ms after the object's creation. */
  assigned(source: string, latencyMs: number): void;
  leading(isLeading: boolean): void;
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
    ...createKubeMetrics(make),
    cloudCall: cloudMetrics(make),
    ...workMetrics(make),
    ...stateMetrics(make),
    watchQuota: quotaMetrics(make),
    assigned: (source, latencyMs) => assignmentLatency.observe({ source }, Math.max(0, latencyMs) / MS_PER_SECOND),
    leading: (isLeading) => leader.set(isLeading ? 1 : 0),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

function cloudMetrics(make: MetricFactory): Metrics['cloudCall'] {
  const cloudCalls = make.counter(METRICS.cloudCalls);
  const cloudDuration = make.histogram(METRICS.cloudCallDuration);
  return ({ action, code, durationMs }) => {
    cloudCalls.inc({ action, code });
    cloudDuration.observe({ action }, durationMs / MS_PER_SECOND);
  };
}

function workMetrics(make: MetricFactory): Pick<Metrics, 'reconciled' | 'watchQueue'> {
  const reconciles = make.counter(METRICS.reconciles);
  const duration = make.histogram(METRICS.reconcileDuration);
  const queues = new Map<string, () => number>();
  make.gauge(METRICS.queueDepth, (gauge) => {
    for (const [controller, depth] of queues) gauge.set({ controller }, depth());
  });
  return {
    reconciled: ({ controller, outcome, durationMs }) => {
      reconciles.inc({ controller, outcome });
      duration.observe({ controller }, durationMs / MS_PER_SECOND);
    },
    watchQueue: (controller, depth) => {
      queues.set(controller, depth);
    },
  };
}

function stateMetrics(make: MetricFactory): Pick<Metrics, 'watchPools' | 'watchClaims' | 'watchSweep'> {
  let pools: (() => ReadonlyMap<string, PoolCounts>) | undefined;
  let claims: (() => readonly ClaimCount[]) | undefined;
  let swept: (() => ReadonlyMap<string, number>) | undefined;
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
  make.gauge(METRICS.sweptAddresses, (gauge) => {
    gauge.reset();
    for (const [state, count] of swept?.() ?? []) gauge.set({ state }, count);
  });
  return {
    watchSweep: (ask) => {
      swept = ask;
    },
    watchPools: (ask) => {
      pools = ask;
    },
    watchClaims: (ask) => {
      claims = ask;
    },
  };
}

function quotaMetrics(make: MetricFactory): Metrics['watchQuota'] {
  let last: (() => Quota | undefined) | undefined;
  const follow = (definition: MetricDefinition, of: (quota: Quota) => number | undefined): void => {
    make.gauge(definition, (gauge) => {
      gauge.reset();
      const quota = last?.();
      const value = quota === undefined ? undefined : of(quota);
      // What is not known has no sample, rather than 0.
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    });
  };
  follow(METRICS.quotaUsed, ({ used }) => used);
  follow(METRICS.quotaLimit, ({ limit }) => limit);
  return (ask) => {
    last = ask;
  };
}

function waiting(counts: readonly ClaimCount[]): readonly ClaimCount[] {
  return counts.filter((count) => count.waiting);
}
