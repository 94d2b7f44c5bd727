import { describe, expect, it } from '@jest/globals';
import { createManualClock } from './manual-clock.ts';
import { createSeededRandom } from './seeded-random.ts';

const never = new AbortController().signal;

function take(seed: number): readonly number[] {
  const random = createSeededRandom(seed);
  return Array.from({ length: 5 }, () => random());
}

describe('manual clock', () => {
  it('wakes sleepers in order of due time, then of calling, each at its own time', async () => {
    const clock = createManualClock({ startMs: 1_000 });
    const woken: string[] = [];
    const record = (name: string, ms: number) =>
      clock.sleep(ms, never).then(() => woken.push(`${name}@${clock.monotonic()}`));
    const all = [record('c', 30), record('a', 10), record('b', 10), record('late', 31)];

    await clock.advance(30);
    expect(woken).toEqual(['a@10', 'b@10', 'c@30']);
    expect(clock.pending()).toBe(1);

    await clock.advance(1);
    await Promise.all(all);
    expect(woken.at(-1)).toBe('late@31');
  });

  it('wakes a loop as often as it sleeps within one advance', async () => {
    const clock = createManualClock({ startMs: 0 });
    const ticks: number[] = [];
    const loop = (async () => {
      for (let i = 0; i < 4; i++) {
        await clock.sleep(250, never);
        ticks.push(clock.monotonic());
      }
    })();
    await clock.advance(1_000);
    await loop;
    expect(ticks).toEqual([250, 500, 750, 1_000]);
  });

  it('moves wall and monotonic time together, and the wall alone when skewed', async () => {
    const clock = createManualClock({ startMs: 1_700_000_000_000 });
    await clock.advance(500);
    clock.skewWall(-3_000);
    expect(clock.now()).toBe(1_699_999_997_500);
    expect(clock.monotonic()).toBe(500);
  });

  it('rejects a sleep with the reason of its signal and forgets it', async () => {
    const clock = createManualClock({ startMs: 0 });
    const abort = new AbortController();
    const reason = new Error('stopped by the test');
    const sleeping = clock.sleep(10, abort.signal);
    abort.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(clock.sleep(10, abort.signal)).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
  });

  it('refuses to go back, and reports a loop that sleeps 0 ms for ever', async () => {
    const clock = createManualClock({ startMs: 0 });
    await expect(clock.advance(-1)).rejects.toThrow(RangeError);
    const abort = new AbortController();
    const spinning = (async () => {
      for (;;) await clock.sleep(0, abort.signal);
    })();
    await expect(clock.advance(1)).rejects.toThrow('a loop sleeps 0 ms');
    abort.abort(new Error('done'));
    await expect(spinning).rejects.toThrow('done');
  });
});

describe('seeded random', () => {
  it('repeats its numbers for a seed and differs between seeds', () => {
    expect(take(7)).toEqual(take(7));
    expect(take(7)).not.toEqual(take(8));
  });

  it('spreads evenly over [0, 1)', () => {
    const random = createSeededRandom(42);
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i++) {
      const tenth = Math.floor(random() * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(tenths).toHaveLength(10);
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});
