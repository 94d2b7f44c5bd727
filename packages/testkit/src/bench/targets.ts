import { isRead } from './record.ts';
import type { BenchFlow, BenchRecord } from './record.ts';
import type { SettledResult } from './run-settled.ts';

/** One thing the operator is to reach, and whether it did. */
export interface Target {
  readonly what: string;
  readonly measured: string;
  readonly reached: boolean;
}

/** What a flow may cost. */
interface Budget {
  readonly noun: 'nodes' | 'pods';
  /** On top of 1.05 times the floor. */
  readonly extraSeconds: number;
  /** For a burst that fits into EC2's buckets, where the cloud's own speed is the limit. */
  readonly burstSeconds: number;
  readonly maxReads: number;
  /** What is called once for each node or pod. */
  readonly exactly: readonly string[];
  /** What is never called. */
  readonly never: readonly string[];
}

const POD = { noun: 'pods', extraSeconds: 5, burstSeconds: 1.5, maxReads: 80 } as const;

const BUDGETS: Readonly<Record<BenchFlow, Budget>> = {
  node: {
    noun: 'nodes',
    extraSeconds: 3,
    burstSeconds: 1,
    maxReads: 60,
    exactly: ['AssociateAddress'],
    never: ['AllocateAddress', 'ReleaseAddress', 'DisassociateAddress', 'CreateTags'],
  },
  'eip-create': {
    ...POD,
    exactly: ['AllocateAddress', 'AssociateAddress'],
    never: ['CreateTags', 'DisassociateAddress', 'ReleaseAddress'],
  },
  'eip-delete': {
    ...POD,
    exactly: ['DisassociateAddress', 'ReleaseAddress'],
    never: ['AllocateAddress', 'AssociateAddress', 'CreateTags', 'DeleteTags'],
  },
  'eip-follow': {
    ...POD,
    exactly: ['DisassociateAddress', 'AssociateAddress'],
    never: ['AllocateAddress', 'ReleaseAddress', 'CreateTags'],
  },
};

const MEGABYTE = 1e6;
/** A burst this small fits into EC2's buckets. */
const SMALL_BURST = 45;
/** Of such a burst, for each node or pod. */
const MAX_CALLS_EACH = 4;

/**
 * The targets of one run. Sped-up buckets show memory and rules, not speed and calls: a delay of a millisecond is worth
 * many tokens then, and some throttling is the machine's doing.
 */
export function targetsOf(record: BenchRecord, bucketSpeed: number): readonly Target[] {
  const { n, violations } = record;
  const what = nameOf(record);
  const peakMb = record.peakRssBytes / MEGABYTE;
  const maxMb = n > 500 ? 300 : 200;
  return [
    ...(bucketSpeed === 1 ? [timeTarget(record), ...callTargets(record)] : []),
    { what: `${what}: no rule broken`, measured: `${violations}`, reached: violations === 0 },
    { what: `${what}: peak memory ≤ ${maxMb} MB`, measured: `${peakMb.toFixed(0)} MB`, reached: peakMb <= maxMb },
  ];
}

function nameOf({ n, flow }: BenchRecord): string {
  const { noun } = BUDGETS[flow];
  return flow === noun.slice(0, -1) ? `${n} ${noun}` : `${n} ${noun}, ${flow}`;
}

function timeTarget(record: BenchRecord): Target {
  const { n, flow, seconds, floorSeconds } = record;
  const { extraSeconds, burstSeconds } = BUDGETS[flow];
  if (n === SMALL_BURST) return atMost(`${nameOf(record)}: all done`, seconds, burstSeconds);
  const limit = 1.05 * floorSeconds + extraSeconds;
  return atMost(`${nameOf(record)}: 1.05 × floor + ${extraSeconds} s, which is`, seconds, limit);
}

function callTargets(record: BenchRecord): readonly Target[] {
  const { n, flow, calls, throttled } = record;
  const { exactly, never, maxReads } = BUDGETS[flow];
  const what = nameOf(record);
  const reads = sumOf(calls, isRead);
  const all = sumOf(calls, () => true);
  const others = sumOf(calls, (action) => never.includes(action));
  return [
    ...exactly.map((action) => {
      const count = calls[action] ?? 0;
      return { what: `${what}: ${n} ${action}`, measured: `${count}`, reached: count === n };
    }),
    { what: `${what}: none of ${never.join(', ')}`, measured: `${others}`, reached: others === 0 },
    { what: `${what}: nothing throttled`, measured: `${throttled}`, reached: throttled === 0 },
    { what: `${what}: EC2 reads ≤ ${maxReads}`, measured: `${reads}`, reached: reads <= maxReads },
    ...(n === SMALL_BURST ? [atMostCalls(record, all)] : []),
  ];
}

function atMostCalls(record: BenchRecord, all: number): Target {
  const limit = MAX_CALLS_EACH * record.n;
  const each = (all / record.n).toFixed(1);
  return { what: `${nameOf(record)}: calls ≤ ${MAX_CALLS_EACH} each`, measured: each, reached: all <= limit };
}

function sumOf(calls: BenchRecord['calls'], isWanted: (action: string) => boolean): number {
  return Object.entries(calls).reduce((sum, [action, count]) => sum + (isWanted(action) ? count : 0), 0);
}

/** The targets of one node on an idle system, and of a start. */
export function idleTargets(record: BenchRecord, startSeconds: readonly number[]): readonly Target[] {
  return [
    atMost('one node, idle: CiliumNode created → status right', record.latencySeconds.p99, 0.5),
    atMost('start of the process → first assignment', Math.max(...startSeconds), 3),
  ];
}

/** The targets of a settled world. */
export function settledTargets({ n, noun, mutatingCalls, writes, wrong }: SettledResult): readonly Target[] {
  const what = `${n} ${noun} settled`;
  const [changes, written] = [sumOf(mutatingCalls, () => true), sumOf(writes, () => true)];
  return [
    { what: `${what}: no EC2 changes`, measured: `${changes}`, reached: changes === 0 },
    { what: `${what}: no Kubernetes writes`, measured: `${written}`, reached: written === 0 },
    { what: `${what}: addresses stay right`, measured: `${wrong.length} wrong`, reached: wrong.length === 0 },
  ];
}

function atMost(what: string, seconds: number, limit: number): Target {
  return { what: `${what} ≤ ${limit.toFixed(1)} s`, measured: `${seconds.toFixed(3)} s`, reached: seconds <= limit };
}
