import { describe, expect, it } from '@jest/globals';
import { createManualClock, createSeededRandom } from '@static-ip/testkit';
import * as fc from 'fast-check';
import { createWorkQueue } from './work-queue.ts';
import type { WorkQueueOptions } from './work-queue.ts';

const never = new AbortController().signal;

function setUp(options: Partial<WorkQueueOptions<string>> = {}) {
  const clock = createManualClock({ startMs: 0 });
  const backoff = { baseMs: 100, maxMs: 1_000 };
  const queue = createWorkQueue({ clock, random: createSeededRandom(1), backoff, ...options });
  return { clock, queue };
}

describe('work queue', () => {
  it('merges a key that is added again, and gives keys out in order of adding', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(queue.depth()).toBe(2);
    expect([await queue.take(never), await queue.take(never)]).toEqual(['a', 'b']);
    expect(queue.depth()).toBe(0);
  });

  it('gives a key out again after it was added while being worked on, and only then', async () => {
    const { queue } = setUp();
    queue.add('a');
    await queue.take(never);
    queue.add('a');
    queue.add('b');
    expect(await queue.take(never)).toBe('b');
    expect(queue.depth()).toBe(0);
    queue.done('a');
    expect(await queue.take(never)).toBe('a');
    queue.done('a');
    expect(queue.depth()).toBe(0);
  });

  it('keeps the earlier of two times', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('later', 100);
    queue.addAfter('later', 500);
    queue.addAfter('earlier', 500);
    queue.addAfter('earlier', 200);
    const taken: string[] = [];
    void (async () => {
      for (;;) taken.push(`${await queue.take(never)}@${clock.monotonic()}`);
    })();
    await clock.advance(1_000);
    expect(taken).toEqual(['later@100', 'earlier@200']);
    expect(queue.delayed()).toBe(0);
  });

  it('gives a delayed key out at once when it is added', async () => {
    const { queue } = setUp();
    queue.addAfter('a', 60_000);
    queue.add('a');
    expect(await queue.take(never)).toBe('a');
    expect(queue.delayed()).toBe(0);
  });

  it('backs off by doubling with jitter up to the most, until it is told to forget', () => {
    const { queue } = setUp();
    const pauses = Array.from({ length: 8 }, () => queue.addBackoff('a'));
    for (const [i, pause] of pauses.entries()) {
      const full = Math.min(1_000, 100 * 2 ** i);
      expect(pause).toBeGreaterThanOrEqual(Math.max(100, full * 0.75));
      expect(pause).toBeLessThanOrEqual(Math.min(1_000, full * 1.25));
    }
    expect(queue.failures('a')).toBe(8);
    queue.forget('a');
    expect(queue.addBackoff('a')).toBeLessThanOrEqual(125);
    expect(queue.addBackoff('a', 5_000)).toBe(5_000);
  });

  it('serves the smallest priority first and shows the next ones without taking them', async () => {
    const ages = new Map([
      ['old', '2020'],
      ['new', '2024'],
      ['middle', '2022'],
    ]);
    const { queue } = setUp({ priority: (key) => ages.get(key) ?? '' });
    for (const key of ['new', 'old', 'middle']) queue.add(key);
    expect(queue.peek(2)).toEqual(['old', 'middle']);
    expect(queue.depth()).toBe(3);
    expect([await queue.take(never), await queue.take(never), await queue.take(never)]).toEqual([
      'old',
      'middle',
      'new',
    ]);
  });

  it('stops waiting with the signal, without losing a key', async () => {
    const { queue } = setUp();
    const stop = new AbortController();
    const waiting = queue.take(stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    queue.add('a');
    expect(await queue.take(never)).toBe('a');
  });

  it('lets all takers go at shutdown and takes nothing in afterwards', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 100);
    const waiting = [queue.take(never), queue.take(never)];
    queue.shutdown();
    queue.add('b');
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await queue.take(never)).toBeUndefined();
    expect(queue.depth() + queue.delayed() + clock.pending()).toBe(0);
  });

  it('refuses a back-off that is none', () => {
    expect(() => setUp({ backoff: { baseMs: 0, maxMs: 10 } })).toThrow(RangeError);
    expect(() => setUp({ backoff: { baseMs: 20, maxMs: 10 } })).toThrow(RangeError);
  });

  it('never runs a key twice at a time and loses none, whatever is done in whatever order', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const command = fc.oneof(
      fc.record({ do: fc.constant('add' as const), key }),
      fc.record({ do: fc.constant('after' as const), key, ms: fc.integer({ min: 0, max: 300 }) }),
      fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 200 }) }),
    );
    // How each run of a key goes: how long it takes, and how it ends.
    const run = fc.record({ ms: fc.integer({ min: 0, max: 150 }), end: fc.constantFrom('forget', 'fail') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { maxLength: 40 }),
        fc.array(run, { minLength: 1, maxLength: 20 }),
        async (commands, runs) => {
          const { clock, queue } = setUp();
          const stop = new AbortController();
          const running = new Set<string>();
          /** Keys asked for since they were last given out. */
          const wanted = new Set<string>();
          let started = 0;
          const worker = async (): Promise<void> => {
            for (;;) {
              const taken = await queue.take(stop.signal);
              if (taken === undefined) return;
              if (running.has(taken)) throw new Error(`${taken} runs twice`);
              running.add(taken);
              wanted.delete(taken);
              const { ms, end } = runs[started++ % runs.length] ?? { ms: 0, end: 'forget' };
              if (ms > 0) await clock.sleep(ms, stop.signal);
              if (end === 'fail' && started < 200) queue.addBackoff(taken);
              else queue.forget(taken);
              running.delete(taken);
              queue.done(taken);
            }
          };
          const workers = Promise.allSettled([worker(), worker(), worker()]);
          for (const one of commands) {
            if (one.do === 'advance') {
              await clock.advance(one.ms);
              continue;
            }
            wanted.add(one.key);
            if (one.do === 'add') queue.add(one.key);
            else queue.addAfter(one.key, one.ms);
          }
          // By now every wish is due, and every run had time to end and be repeated.
          await clock.advance(5_000);
          expect([...wanted]).toEqual([]);
          stop.abort(new Error('the end'));
          for (const result of await workers) expect(result).toMatchObject({ reason: { message: 'the end' } });
        },
      ),
      { numRuns: 150 },
    );
  });
});
