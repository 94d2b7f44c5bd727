import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricDefinition } from './metric-definition.ts';

/** Makes metrics from definitions, in one registry. */
export interface MetricFactory {
  counter(definition: MetricDefinition, collect?: (counter: Counter) => void): Counter;
  /** `collect` is called at each scrape, to set what is cheaper to ask for than to follow. */
  gauge(definition: MetricDefinition, collect?: (gauge: Gauge) => void): Gauge;
  histogram(definition: MetricDefinition): Histogram;
}

/** A registry of its own, never the library's global one: two programs fit in one process. */
export function createRegistry(): Registry {
  return new Registry();
}

/** Makes a factory that registers each metric in `registry`. */
export function createMetricFactory(registry: Registry): MetricFactory {
  const common = ({ name, help, labels }: MetricDefinition) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  return {
    counter: (definition, collect) => {
      const counter: Counter = new Counter({
        ...common(definition),
        ...(collect && { collect: () => collect(counter) }),
      });
      return counter;
    },
    gauge: (definition, collect) => {
      const gauge: Gauge = new Gauge({ ...common(definition), ...(collect && { collect: () => collect(gauge) }) });
      return gauge;
    },
    histogram: (definition) => new Histogram({ ...common(definition), buckets: [...(definition.buckets ?? [])] }),
  };
}
