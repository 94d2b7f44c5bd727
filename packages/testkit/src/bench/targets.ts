import { isRead } from './record.ts';
import type { BenchRecord } from './record.ts';
import type { SettledResult } from './run-settled.ts';

/** One thing the operator is to reach, and whether it did. */
export interface Target {
  readonly what: string;
  readonly measured: string;
  readonly reached: boolean;
}

const MEGABYTE = 1e6;
/** A burst this small fits into EC2's buckets, so the cloud's own speed is the limit. */
const SMALL_BURST = 45;
const MAX_READS = 60;

/**
 * The targets of one run. Sped-up buckets show memory and rules, not speed and calls: a delay of a millisecond is worth
 * many tokens then, and some throttling is the machine's doing.
 */
export function burstTargets(record: BenchRecord, bucketSpeed: number): readonly Target[] {
  const { n, violations } = record;
  const peakMb = record.peakRssBytes / MEGABYTE;
  const maxMb = n > 500 ? 300 : 200;
  return [
    ...(bucketSpeed === 1 ? [timeTarget(record), ...callTargets(record)] : []),
    { what: `${n} nodes: no rule broken`, measured: `${violations}`, reached: violations === 0 },
    { what: `${n} nodes: peak memory ≤ ${maxMb} MB`, measured: `${peakMb.toFixed(0)} MB`, reached: peakMb <= maxMb },
  ];
}

function timeTarget({ n, seconds, floorSeconds }: BenchRecord): Target {
  if (n === SMALL_BURST) return atMost(`${n} nodes: all right`, seconds, 1);
  return atMost(`${n} nodes: 1.05 × floor + 3 s, which is`, seconds, 1.05 * floorSeconds + 3);
}

function callTargets({ n, calls, throttled }: BenchRecord): readonly Target[] {
  const associations = calls['AssociateAddress'] ?? 0;
  const reads = Object.entries(calls).reduce((sum, [action, count]) => sum + (isRead(action) ? count : 0), 0);
  return [
    { what: `${n} nodes: as many associations as nodes`, measured: `${associations}`, reached: associations === n },
    { what: `${n} nodes: nothing throttled`, measured: `${throttled}`, reached: throttled === 0 },
    { what: `${n} nodes: EC2 reads ≤ ${MAX_READS}`, measured: `${reads}`, reached: reads <= MAX_READS },
  ];
}

/** The targets of one node on an idle system, and of a start. */
export function idleTargets(record: BenchRecord, startSeconds: readonly number[]): readonly Target[] {
  return [
    atMost('one node, idle: CiliumNode created → status right', record.latencySeconds.p99, 0.5),
    atMost('start of the process → first assignment', Math.max(...startSeconds), 3),
  ];
}

/** The targets of a settled world. */
export function settledTargets({ n, mutatingCalls, writes, wrong }: SettledResult): readonly Target[] {
  return [
    {
      what: `${n} nodes settled: no EC2 changes`,
      measured: `${total(mutatingCalls)}`,
      reached: total(mutatingCalls) === 0,
    },
    { what: `${n} nodes settled: no Kubernetes writes`, measured: `${total(writes)}`, reached: total(writes) === 0 },
    { what: `${n} nodes settled: statuses stay right`, measured: `${wrong.length} wrong`, reached: wrong.length === 0 },
  ];
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function atMost(what: string, seconds: number, limit: number): Target {
  return { what: `${what} ≤ ${limit.toFixed(1)} s`, measured: `${seconds.toFixed(3)} s`, reached: seconds <= limit };
}
