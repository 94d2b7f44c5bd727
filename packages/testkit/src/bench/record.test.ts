import { describe, expect, it } from '@jest/globals';
import { floorSeconds } from './floor.ts';
import { percentile } from './percentile.ts';
import { benchRecord } from './record.ts';

const usage = { peakRssBytes: 1e8, cpuSeconds: 1.5 };

describe('bench record', () => {
  it('holds calls by action, throttled ones among them, and latencies as percentiles', () => {
    const record = benchRecord({
      subject: 'x',
      flow: 'eip-create',
      n: 100,
      seconds: 12.3456,
      floorSeconds: 10,
      latenciesSeconds: [3, 1, 2],
      counts: { AssociateAddress: { OK: 100, RequestLimitExceeded: 7 }, DescribeAddresses: { OK: 4 } },
      violations: 2,
      usage,
    });
    expect(record).toEqual({
      subject: 'x',
      flow: 'eip-create',
      n: 100,
      seconds: 12.346,
      floorSeconds: 10,
      ratio: 1.235,
      latencySeconds: { p50: 2, p99: 3 },
      calls: { AssociateAddress: 107, DescribeAddresses: 4 },
      throttled: 7,
      violations: 2,
      ...usage,
    });
  });

  it('has no ratio where the limits allow an instant', () => {
    const measured = {
      subject: 'x',
      flow: 'node' as const,
      n: 1,
      seconds: 1,
      latenciesSeconds: [1],
      counts: {},
      violations: 0,
      usage,
    };
    expect(benchRecord({ ...measured, floorSeconds: floorSeconds(50, 1) }).ratio).toBeNull();
  });
});

describe('floor', () => {
  it('is a burst of 50, then 5 a second', () => {
    expect([1, 50, 55, 500].map((n) => floorSeconds(n, 1))).toEqual([0, 0, 1, 90]);
  });

  it('is lower by the factor of sped-up buckets', () => {
    expect(floorSeconds(500, 10)).toBe(9);
  });
});

describe('percentile', () => {
  it('is one of the values, by nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect([percentile(values, 50), percentile(values, 99), percentile([7], 99)]).toEqual([100, 198, 7]);
  });

  it('of nothing is an error', () => {
    expect(() => percentile([], 50)).toThrow('no values');
  });
});
