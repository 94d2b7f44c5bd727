import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { createTokenBucket } from './token-bucket.ts';

const live = new AbortController().signal;

/** When each of `count` takers that come at once got its token, in ms. */
async function grants(limit: { readonly perSecond: number; readonly burst: number }, count: number) {
  const clock = createManualClock({ startMs: 0 });
  const bucket = createTokenBucket(clock, limit);
  const grantedMs: number[] = [];
  const takers = Array.from({ length: count }, async () => {
    await bucket.take(live);
    grantedMs.push(clock.monotonic());
  });
  await clock.advance(1_000_000);
  await Promise.all(takers);
  return grantedMs;
}

describe('token bucket', () => {
  it('B43: gives 500 at a burst of 45 and 4.9 a second in 92.9 s, never more than EC2 has', async () => {
    const grantedMs = await grants({ perSecond: 4.9, burst: 45 }, 500);
    expect(grantedMs.filter((ms) => ms === 0)).toHaveLength(45);
    expect(grantedMs.at(-1)).toBeGreaterThan(92_500);
    expect(grantedMs.at(-1)).toBeLessThan(93_300);
    for (const phaseMs of [0, 250, 500, 999]) expect(refusedByEc2(grantedMs, phaseMs)).toBe(0);
  });

  it('serves takers in the order in which they came', async () => {
    const clock = createManualClock({ startMs: 0 });
    const bucket = createTokenBucket(clock, { perSecond: 1, burst: 1 });
    const order: number[] = [];
    const takers = [0, 1, 2, 3].map((taker) => bucket.take(live).then(() => order.push(taker)));
    await clock.advance(10_000);
    await Promise.all(takers);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('gives a taker that leaves nothing, and its turn to the next', async () => {
    const clock = createManualClock({ startMs: 0 });
    const bucket = createTokenBucket(clock, { perSecond: 1, burst: 1 });
    await bucket.take(live);
    const abort = new AbortController();
    const leaving = bucket.take(abort.signal);
    const staying = bucket.take(live).then(() => clock.monotonic());
    await clock.advance(500);
    abort.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    await clock.advance(500);
    expect(await staying).toBe(1_000);
  });

  it('stops its clock when the last taker leaves, and serves one that comes right after', async () => {
    const clock = createManualClock({ startMs: 0 });
    const bucket = createTokenBucket(clock, { perSecond: 1, burst: 1 });
    await bucket.take(live);
    const abort = new AbortController();
    const leaving = bucket.take(abort.signal);
    await clock.advance(100);
    abort.abort(new Error('left'));
    const next = bucket.take(live).then(() => clock.monotonic());
    await expect(leaving).rejects.toThrow('left');
    await clock.advance(900);
    expect(await next).toBe(1_000);
    expect(clock.pending()).toBe(0);
  });

  it('halves once for a burst of refusals, down to a tenth, and finds back to the configured rate and no further', async () => {
    const clock = createManualClock({ startMs: 0 });
    const bucket = createTokenBucket(clock, { perSecond: 10, burst: 10 });
    for (let refusals = 0; refusals < 5; refusals++) bucket.refused();
    expect(bucket.ratePerSecond()).toBe(5);
    for (let second = 0; second < 10; second++) {
      await clock.advance(1_000);
      bucket.refused();
    }
    expect(bucket.ratePerSecond()).toBeCloseTo(1, 1);
    await clock.advance(60_000);
    expect(bucket.ratePerSecond()).toBe(10);
  });
});

/** How many of these calls a bucket of 50 that gets 5 tokens once a second, at a phase, would refuse. */
function refusedByEc2(callsMs: readonly number[], phaseMs: number): number {
  let tokens = 50;
  let second = Math.floor(-phaseMs / 1_000);
  let refused = 0;
  for (const ms of callsMs) {
    const now = Math.floor((ms - phaseMs) / 1_000);
    tokens = Math.min(50, tokens + 5 * (now - second));
    second = now;
    if (tokens < 1) refused += 1;
    else tokens -= 1;
  }
  return refused;
}
