import { describe, expect, it } from '@jest/globals';
import { drawsOf, take } from './buckets.ts';
import type { Bucket, BucketSettings } from './buckets.ts';

const SETTINGS: BucketSettings = { enabled: true, speed: 1, phaseMs: 0, limits: {} };
const PHASES = Array.from({ length: 20 }, (_unused, index) => index * 50);

/** How many of the calls at these times are refused. */
function refusals(action: string, timesMs: readonly number[], settings: BucketSettings = SETTINGS): number {
  let buckets = new Map<string, Bucket>();
  let refused = 0;
  for (const now of timesMs) {
    const next = new Map(buckets);
    const paid = drawsOf(settings, action, {}).every((draw) => {
      const left = take(settings, buckets.get(draw.bucket), draw, now);
      if (left !== undefined) next.set(draw.bucket, left);
      return left !== undefined;
    });
    if (paid) buckets = next;
    else refused += 1;
  }
  return refused;
}

/** When a client with a token bucket of its own sends its calls, all of them wanted at once at `startMs`. */
function pacedTimes(calls: number, client: { rate: number; burst: number }, startMs: number): number[] {
  return Array.from(
    { length: calls },
    (_unused, index) => startMs + (Math.max(0, index - client.burst + 1) / client.rate) * 1000,
  );
}

describe('token buckets', () => {
  it('B43: never refuse 500 calls at 4.9 a second and burst 45, wherever in the second they start', () => {
    for (const phase of PHASES)
      expect(refusals('AssociateAddress', pacedTimes(500, { rate: 4.9, burst: 45 }, phase))).toBe(0);
  });

  it('B43: refuse a burst of 50 at 4.9 a second in some phase, because tokens come once a whole second', () => {
    const worst = Math.max(
      ...PHASES.map((phase) => refusals('AssociateAddress', pacedTimes(500, { rate: 4.9, burst: 50 }, phase))),
    );
    expect(worst).toBeGreaterThan(0);
  });

  it('refuse the 51st call at once, and take five more when the second turns, not before', () => {
    const burst = Array.from({ length: 51 }, () => 100);
    expect(refusals('AllocateAddress', burst)).toBe(1);
    expect(refusals('AllocateAddress', [...burst, 999])).toBe(2);
    expect(refusals('AllocateAddress', [...burst, ...Array.from({ length: 6 }, () => 1000)])).toBe(2);
  });

  it('hold no more than their capacity after a long rest', () => {
    expect(refusals('ReleaseAddress', [0, ...Array.from({ length: 51 }, () => 3_600_000)])).toBe(1);
  });

  it('are one per action: one that is empty stops no other', () => {
    const settings = { ...SETTINGS, limits: { AssociateAddress: { capacity: 0, refill: 0 } } };
    expect(refusals('AssociateAddress', [0], settings)).toBe(1);
    expect(refusals('DisassociateAddress', [0], settings)).toBe(0);
  });

  it('refill fractions, whole once enough seconds have passed', () => {
    const settings = { ...SETTINGS, limits: { CreateTags: { capacity: 1, refill: 0.1 } } };
    expect(refusals('CreateTags', [0, 9_000, 10_000], settings)).toBe(1);
  });

  it('refill faster at a higher speed', () => {
    const burst = Array.from({ length: 50 }, () => 0);
    expect(refusals('AssociateAddress', [...burst, 100], { ...SETTINGS, speed: 10 })).toBe(0);
    expect(refusals('AssociateAddress', [...burst, 100])).toBe(1);
  });

  it.each([
    ['DescribeAddresses', {}, 'DescribeAddresses', 100, 20],
    ['DescribeNetworkInterfaces', {}, 'DescribeNetworkInterfaces/unfiltered', 50, 10],
    ['DescribeNetworkInterfaces', { 'Filter.1.Name': 'vpc-id' }, 'DescribeNetworkInterfaces', 100, 20],
    ['DescribeInstances', { MaxResults: '5' }, 'DescribeInstances', 100, 20],
    ['CreateTags', {}, 'CreateTags', 100, 10],
    ['DisassociateAddress', {}, 'DisassociateAddress', 50, 5],
  ])('%s with %j draws from %s of %d and %d a second, as published', (action, params, bucket, capacity, refill) => {
    expect(drawsOf(SETTINGS, action, params)).toEqual([{ bucket, limit: { capacity, refill }, tokens: 1 }]);
  });

  it('take a second kind of token for every instance terminated', () => {
    const draws = drawsOf(SETTINGS, 'TerminateInstances', { 'InstanceId.1': 'i-1', 'InstanceId.2': 'i-2' });
    expect(draws.at(1)).toEqual({
      bucket: 'TerminateInstances/resources',
      limit: { capacity: 1000, refill: 20 },
      tokens: 2,
    });
  });
});
