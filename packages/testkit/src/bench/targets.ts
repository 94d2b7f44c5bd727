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

/** The targets of one run. Sped-up buckets show memory, not speed: the subject's own limits round differently. */
export function burstTargets(record: BenchRecord, bucketSpeed: number): readonly Target[] {
  const { n, seconds, calls, throttled, violations } = record;
  const nodes = `${n} nodes`;
  const associations = calls['AssociateAddress'] ?? 0;
  const peakMb = record.peakRssBytes / MEGABYTE;
  const maxMb = n > 500 ? 300 : 200;
  return [
    ...(bucketSpeed === 1 ? timeTargets(record) : []),
    { what: `${nodes}: as many associations as nodes`, measured: `${associations}`, reached: associations === n },
    { what: `${nodes}: nothing throttled`, measured: `${throttled}`, reached: throttled === 0 },
    { what: `${nodes}: no rule broken`, measured: `${violations}`, reached: violations === 0 },
    { what: `${nodes}: peak memory ≤ ${maxMb} MB`, measured: `${peakMb.toFixed(0)} MB`, reached: peakMb <= maxMb },
    ...(bucketSpeed === 1 ? readTargets(nodes, record) : []),
    ...(n === SMALL_BURST ? [atMost(`${nodes}: all right`, seconds, 1)] : []),
  ];
}

function timeTargets({ n, seconds, floorSeconds }: BenchRecord): readonly Target[] {
  const limit = 1.05 * floorSeconds + 3;
  return n === SMALL_BURST ? [] : [atMost(`${n} nodes: 1.05 × floor + 3 s, which is`, seconds, limit)];
}

function readTargets(nodes: string, { calls }: BenchRecord): readonly Target[] {
  const reads = Object.entries(calls).reduce((sum, [action, count]) => sum + (isRead(action) ? count : 0), 0);
  return [{ what: `${nodes}: EC2 reads ≤ ${MAX_READS}`, measured: `${reads}`, reached: reads <= MAX_READS }];
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
