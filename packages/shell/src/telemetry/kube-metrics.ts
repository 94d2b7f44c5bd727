import { KUBE_METRICS } from './metric-definition.ts';
import type { MetricFactory } from './registry.ts';

/** One request to the Kubernetes API. A watch has no duration: it is counted when it ends. */
export interface KubeRequest {
  readonly verb: string;
  readonly resource: string;
  /** `ok` or the error code. */
  readonly code: string;
  readonly durationMs?: number | undefined;
}

/** What a program tells of its talk with the API server. Calls are cheap and never throw. */
export interface KubeMetrics {
  kubeRequest(request: KubeRequest): void;
  /** `phase` is where it failed: list, watch, parse or handler. */
  watchFailed(resource: string, phase: string): void;
  relisted(resource: string): void;
}

const MS_PER_SECOND = 1000;

/** Registers these metrics. */
export function createKubeMetrics(make: MetricFactory): KubeMetrics {
  const requests = make.counter(KUBE_METRICS.kubeRequests);
  const duration = make.histogram(KUBE_METRICS.kubeRequestDuration);
  const watchFailures = make.counter(KUBE_METRICS.watchFailures);
  const relists = make.counter(KUBE_METRICS.relists);
  return {
    kubeRequest: ({ verb, resource, code, durationMs }) => {
      requests.inc({ verb, resource, code });
      if (durationMs !== undefined) duration.observe({ verb }, durationMs / MS_PER_SECOND);
    },
    watchFailed: (resource, phase) => watchFailures.inc({ resource, phase }),
    relisted: (resource) => relists.inc({ resource }),
  };
}
