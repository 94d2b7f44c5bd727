import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { withDeadline } from './deadline.ts';
import { createLimiter } from './limiter.ts';
import { formatMicroTime } from './micro-time.ts';
import { createTokenBucket } from './token-bucket.ts';

const never = new AbortController().signal;

function setUp(signal = never) {
  const clock = createManualClock({ startMs: 0 });
  return { clock, deadline: { clock, ms: 100, signal, attempt: 'testing' } };
}

describe('deadline', () => {
  it('lets work that ends in time through, and forgets its timer', async () => {
    const { clock, deadline } = setUp();
    expect(await withDeadline(deadline, async () => 'done')).toBe('done');
    await expect(withDeadline(deadline, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await clock.advance(0);
    expect(clock.pending()).toBe(0);
  });

  it('aborts work at the deadline and does not wait for it', async () => {
    const { clock, deadline } = setUp();
    let given: AbortSignal = never;
    const late = withDeadline(deadline, (signal) => {
      given = signal;
      return new Promise(() => undefined);
    });
    const outcome = late.catch((error: unknown) => error);
    await clock.advance(100);
    expect(await outcome).toMatchObject({ code: 'timeout' });
    expect(given.aborted).toBe(true);
  });

  it('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const { deadline } = setUp(stop.signal);
    const cut = withDeadline(deadline, () => new Promise(() => undefined));
    stop.abort(new Error('stopped'));
    await expect(cut).rejects.toThrow('stopped');
    await expect(withDeadline(deadline, async () => 'never started')).rejects.toThrow('stopped');
  });
});

describe('limiter', () => {
  it('runs so many at once, in order, and gives the place of one that stopped waiting to the next', async () => {
    const limit = createLimiter(2);
    const started: string[] = [];
    const gates = new Map<string, () => void>();
    const stop = new AbortController();
    const start = (name: string, signal = never): Promise<void> =>
      limit(() => {
        started.push(name);
        return new Promise((resolve) => gates.set(name, () => resolve()));
      }, signal);
    const all = [start('a'), start('b'), start('c', stop.signal), start('d')];
    const settled = Promise.allSettled(all);
    await Promise.resolve();
    expect(started).toEqual(['a', 'b']);
    stop.abort(new Error('stopped'));
    gates.get('a')?.();
    await all[0];
    await Promise.resolve();
    expect(started).toEqual(['a', 'b', 'd']);
    gates.get('b')?.();
    gates.get('d')?.();
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('frees its place after a failure', async () => {
    const limit = createLimiter(1);
    await expect(limit(() => Promise.reject(new Error('failed')), never)).rejects.toThrow('failed');
    expect(await limit(async () => 'next', never)).toBe('next');
    expect(() => createLimiter(0)).toThrow(RangeError);
  });
});

describe('token bucket', () => {
  it('lets a burst pass and then one at a time', async () => {
    const clock = createManualClock({ startMs: 0 });
    const turn = createTokenBucket({ perSecond: 2, burst: 3 }, clock);
    const at: number[] = [];
    void (async () => {
      for (let i = 0; i < 6; i++) {
        await turn(never);
        at.push(clock.monotonic());
      }
    })();
    await clock.advance(10_000);
    expect(at).toEqual([0, 0, 0, 500, 1_000, 1_500]);
  });
});

describe('MicroTime', () => {
  it('B56: has exactly six fractional digits', () => {
    expect(formatMicroTime(0)).toBe('1970-01-01T00:00:00.000000Z');
    expect(formatMicroTime(1_700_000_000_123)).toBe('2023-11-14T22:13:20.123000Z');
  });
});
