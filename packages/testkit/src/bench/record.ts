import type { CallCounts } from '../ec2/journal.ts';
import type { ProcessUsage } from '../subject/process-usage.ts';
import { percentile } from './percentile.ts';

/** What is measured: nodes that come; pods with an Eip each that come, go, or come back elsewhere. */
export type BenchFlow = 'node' | 'eip-create' | 'eip-delete' | 'eip-follow';

/** One measurement, as `--json` writes it. Times in seconds. */
export interface BenchRecord {
  readonly subject: string;
  readonly flow: BenchFlow;
  readonly n: number;
  /** From the first wish until the last is fulfilled. For one node the median of the repetitions. */
  readonly seconds: number;
  /** What EC2's limits allow at best. */
  readonly floorSeconds: number;
  /** seconds / floorSeconds; null where the floor is 0. */
  readonly ratio: number | null;
  /** From one wish until it is fulfilled. */
  readonly latencySeconds: { readonly p50: number; readonly p99: number };
  /** EC2 calls by action, whatever they were answered. */
  readonly calls: Readonly<Record<string, number>>;
  /** Calls answered with RequestLimitExceeded. */
  readonly throttled: number;
  /** Rules of a shared account that were broken. */
  readonly violations: number;
  /** VmHWM of the subject's process. */
  readonly peakRssBytes: number;
  /** User and system time of the subject since its start. */
  readonly cpuSeconds: number;
}

export interface Measurement {
  readonly subject: string;
  readonly flow: BenchFlow;
  readonly n: number;
  readonly seconds: number;
  readonly floorSeconds: number;
  readonly latenciesSeconds: readonly number[];
  readonly counts: CallCounts;
  readonly violations: number;
  readonly usage: ProcessUsage;
}

/** The record of a measurement. */
export function benchRecord({ latenciesSeconds, counts, usage, ...measured }: Measurement): BenchRecord {
  const { seconds, floorSeconds } = measured;
  return {
    subject: measured.subject,
    flow: measured.flow,
    n: measured.n,
    seconds: round(seconds),
    floorSeconds: round(floorSeconds),
    ratio: floorSeconds > 0 ? round(seconds / floorSeconds) : null,
    latencySeconds: {
      p50: round(percentile(latenciesSeconds, 50)),
      p99: round(percentile(latenciesSeconds, 99)),
    },
    calls: callsByAction(counts),
    throttled: throttledCalls(counts),
    violations: measured.violations,
    ...usage,
  };
}

/** Calls by action over all answers. */
export function callsByAction(counts: CallCounts): Readonly<Record<string, number>> {
  const entries = Object.entries(counts).map(([action, byCode]) => [action, sum(Object.values(byCode))] as const);
  return Object.fromEntries(entries.toSorted(([left], [right]) => left.localeCompare(right)));
}

/** Calls whose action begins with Describe, List or Get change nothing; all others are mutating. */
export function isRead(action: string): boolean {
  return /^(Describe|List|Get)/.test(action);
}

function throttledCalls(counts: CallCounts): number {
  return sum(Object.values(counts).map((byCode) => byCode['RequestLimitExceeded'] ?? 0));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Milliseconds are what the clocks of this benchmark can tell. */
function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
