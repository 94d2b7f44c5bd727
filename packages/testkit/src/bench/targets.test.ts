import { describe, expect, it } from '@jest/globals';
import type { BenchRecord } from './record.ts';
import { burstTargets, idleTargets, settledTargets } from './targets.ts';
import type { Target } from './targets.ts';

/** A run of 500 nodes that reaches every target. */
const GOOD: BenchRecord = {
  subject: 'operator',
  flow: 'node',
  n: 500,
  seconds: 97,
  floorSeconds: 90,
  ratio: 1.078,
  latencySeconds: { p50: 40, p99: 90 },
  calls: { AssociateAddress: 500, DescribeAddresses: 10, DescribeNetworkInterfaces: 50 },
  throttled: 0,
  violations: 0,
  peakRssBytes: 200e6,
  cpuSeconds: 5,
};

function missed(targets: readonly Target[]): readonly string[] {
  return targets.filter(({ reached }) => !reached).map(({ what }) => what);
}

describe('targets', () => {
  it('are all reached by a good run', () => {
    expect(missed(burstTargets(GOOD, 1))).toEqual([]);
  });

  it.each<[string, Partial<BenchRecord>]>([
    ['1.05 × floor + 3 s', { seconds: 97.6 }],
    ['as many associations as nodes', { calls: { AssociateAddress: 501 } }],
    ['nothing throttled', { throttled: 1 }],
    ['EC2 reads ≤ 60', { calls: { ...GOOD.calls, DescribeAddresses: 11 } }],
    ['no rule broken', { violations: 1 }],
    ['peak memory ≤ 200 MB', { peakRssBytes: 201e6 }],
  ])('miss "%s" when that alone is bad', (what, bad) => {
    const names = missed(burstTargets({ ...GOOD, ...bad }, 1));
    expect(names).toEqual([expect.stringContaining(what)]);
  });

  it('hold only memory and rules against a run with sped-up buckets', () => {
    const record = { ...GOOD, n: 5000, seconds: 900, throttled: 5, peakRssBytes: 301e6, violations: 1 };
    expect(missed(burstTargets(record, 20))).toEqual([
      '5000 nodes: no rule broken',
      '5000 nodes: peak memory ≤ 300 MB',
    ]);
  });

  it('want a burst within the buckets to be over in a second', () => {
    const burst = { ...GOOD, n: 45, floorSeconds: 0, ratio: null, calls: { AssociateAddress: 45 } };
    expect(missed(burstTargets({ ...burst, seconds: 1 }, 1))).toEqual([]);
    expect(missed(burstTargets({ ...burst, seconds: 1.001 }, 1))).toEqual(['45 nodes: all right ≤ 1.0 s']);
  });

  it('take the slowest start and the slow end of latencies', () => {
    const record = { ...GOOD, n: 1, latencySeconds: { p50: 0.1, p99: 0.6 } };
    expect(missed(idleTargets(record, [1, 3.1, 2]))).toHaveLength(2);
  });

  it('allow a settled world no change at all', () => {
    const settled = { subject: 'operator', n: 9, resyncs: 11, starts: 2, reads: {}, violations: 0, wrong: [] };
    expect(missed(settledTargets({ ...settled, mutatingCalls: {}, writes: {} }))).toEqual([]);
    const busy = { ...settled, mutatingCalls: { AssociateAddress: 1 }, writes: { 'patch ciliumnodes/status': 1 } };
    expect(missed(settledTargets(busy))).toHaveLength(2);
  });
});
