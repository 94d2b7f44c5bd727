import type { Finding } from '@static-ip/cni-config';
import { createKubeMetrics, createMetricFactory, createRegistry, watchProcess } from '@static-ip/shell';
import type { ExposedMetrics, KubeMetrics } from '@static-ip/shell';
import type { Reason } from '../api/reasons.ts';
import { METRICS } from './metric-definitions.ts';

/** What the agent tells, in its own words. Calls are cheap and never throw. */
export interface AgentMetrics extends KubeMetrics, ExposedMetrics {
  /** The state of a job, in place of its last. */
  state(job: string, reason: Reason): void;
  /** All findings about the CNI configuration, in place of the last. */
  findings(findings: readonly Finding[]): void;
  wroteTags(): void;
  /** Pods that hold an address, and how long their pass took. */
  passed(pods: { readonly kept: number; readonly waiting: number }, durationMs: number): void;
  failed(job: string, code: string): void;
}

/** Makes the metrics of one agent. */
export function createAgentMetrics(about: { readonly version: string; readonly nodeVersion: string }): AgentMetrics {
  const registry = createRegistry();
  const make = createMetricFactory(registry);
  make.gauge(METRICS.buildInfo).set({ version: about.version, node: about.nodeVersion }, 1);
  const state = make.gauge(METRICS.state);
  const findings = make.gauge(METRICS.findings);
  const writes = make.counter(METRICS.writes);
  const pods = make.gauge(METRICS.pods);
  const duration = make.histogram(METRICS.passDuration);
  const failures = make.counter(METRICS.failures);
  const reasons = new Map<string, Reason>();
  watchProcess(make);
  return {
    ...createKubeMetrics(make),
    state: (job, reason) => {
      const before = reasons.get(job);
      if (before !== undefined) state.remove({ job, reason: before });
      state.set({ job, reason }, 1);
      reasons.set(job, reason);
    },
    findings: (found) => {
      findings.reset();
      for (const { severity, code } of found) findings.inc({ severity, code });
    },
    wroteTags: () => writes.inc(),
    passed: ({ kept, waiting }, durationMs) => {
      pods.set({ state: 'kept' }, kept);
      pods.set({ state: 'waiting' }, waiting);
      duration.observe(durationMs / 1000);
    },
    failed: (job, code) => failures.inc({ job, code }),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
