import { describe, expect, it } from '@jest/globals';
import type { BenchRecord } from './record.ts';
import { targetsOf, idleTargets, settledTargets } from './targets.ts';
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
    expect(missed(targetsOf(GOOD, 1))).toEqual([]);
  });

  it.each<[string, Partial<BenchRecord>]>([
    ['1.05 × floor + 3 s', { seconds: 97.6 }],
    ['500 AssociateAddress', { calls: { AssociateAddress: 501 } }],
    ['nothing throttled', { throttled: 1 }],
    ['EC2 reads ≤ 60', { calls: { ...GOOD.calls, DescribeAddresses: 11 } }],
    ['no rule broken', { violations: 1 }],
    ['peak memory ≤ 200 MB', { peakRssBytes: 201e6 }],
  ])('miss "%s" when that alone is bad', (what, bad) => {
    const names = missed(targetsOf({ ...GOOD, ...bad }, 1));
    expect(names).toEqual([expect.stringContaining(what)]);
  });

  it('hold only memory and rules against a run with sped-up buckets', () => {
    const record = { ...GOOD, n: 5000, seconds: 900, throttled: 5, peakRssBytes: 301e6, violations: 1 };
    expect(missed(targetsOf(record, 20))).toEqual(['5000 nodes: no rule broken', '5000 nodes: peak memory ≤ 300 MB']);
  });

  it('want a burst within the buckets to be over in a second', () => {
    const burst = { ...GOOD, n: 45, floorSeconds: 0, ratio: null, calls: { AssociateAddress: 45 } };
    expect(missed(targetsOf({ ...burst, seconds: 1 }, 1))).toEqual([]);
    expect(missed(targetsOf({ ...burst, seconds: 1.001 }, 1))).toEqual(['45 nodes: all done ≤ 1.0 s']);
  });

  it('want of pods an allocation and an association each, and no tags of their own', () => {
    const calls = { AllocateAddress: 45, AssociateAddress: 45, DescribeAddresses: 90 };
    const burst = { ...GOOD, flow: 'eip-create' as const, n: 45, floorSeconds: 0, ratio: null, seconds: 1.5, calls };
    expect(missed(targetsOf({ ...burst, calls: { ...calls, DescribeAddresses: 80 } }, 1))).toEqual([]);
    expect(missed(targetsOf({ ...burst, calls: { ...calls, CreateTags: 1, DescribeAddresses: 90 } }, 1))).toEqual([
      '45 pods, eip-create: none of CreateTags, DisassociateAddress, ReleaseAddress',
      '45 pods, eip-create: EC2 reads ≤ 80',
      '45 pods, eip-create: calls ≤ 4 each',
    ]);
  });

  it('take the slowest start and the slow end of latencies', () => {
    const record = { ...GOOD, n: 1, latencySeconds: { p50: 0.1, p99: 0.6 } };
    expect(missed(idleTargets(record, [1, 3.1, 2]))).toHaveLength(2);
  });

  it('allow a settled world no change at all', () => {
    const settled = {
      subject: 'operator',
      n: 9,
      noun: 'pods',
      resyncs: 11,
      starts: 2,
      reads: {},
      violations: 0,
      wrong: [],
    } as const;
    expect(missed(settledTargets({ ...settled, mutatingCalls: {}, writes: {} }))).toEqual([]);
    const busy = { ...settled, mutatingCalls: { AssociateAddress: 1 }, writes: { 'patch ciliumnodes/status': 1 } };
    expect(missed(settledTargets(busy))).toHaveLength(2);
  });
});
