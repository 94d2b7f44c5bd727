import { PROCESS_METRICS } from './metric-definition.ts';
import type { MetricFactory } from './registry.ts';

const MICROSECONDS_PER_SECOND = 1e6;

/**
 * Four metrics of the process, read at each scrape. The library's own set also keeps an event-loop histogram and a
 * garbage-collection observer running, which costs wake-ups all the time.
 */
export function watchProcess(make: MetricFactory): void {
  make.counter(PROCESS_METRICS.processCpu, (counter) => {
    const { user, system } = process.cpuUsage();
    counter.reset();
    counter.inc((user + system) / MICROSECONDS_PER_SECOND);
  });
  make.gauge(PROCESS_METRICS.processMemory, (gauge) => gauge.set(process.memoryUsage.rss()));
  make.gauge(PROCESS_METRICS.heapUsed, (gauge) => gauge.set(process.memoryUsage().heapUsed));
  make.gauge(PROCESS_METRICS.processStart).set(Math.round(performance.timeOrigin / 1000));
}
