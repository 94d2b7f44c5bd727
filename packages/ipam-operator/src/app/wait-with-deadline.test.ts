import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { waitWithDeadline } from './wait-with-deadline.ts';

function setUp() {
  const clock = createManualClock({ startMs: 0 });
  const work = Promise.withResolvers<void>();
  const stop = new AbortController();
  const seen: string[] = [];
  const waiting = waitWithDeadline(work.promise, stop.signal, {
    clock,
    deadlineMs: 10_000,
    onLate: () => seen.push('late'),
  }).then(() => seen.push('over'));
  return { clock, work, stop, seen, waiting };
}

describe('waiting with a deadline', () => {
  it('waits for ever while nobody stops the work', async () => {
    const { clock, work, seen, waiting } = setUp();
    await clock.advance(60_000);
    expect(seen).toEqual([]);
    work.resolve();
    await waiting;
    expect(seen).toEqual(['over']);
    expect(clock.pending()).toBe(0);
  });

  it('leaves the work alone when it goes on past the deadline after a stop', async () => {
    const { clock, stop, seen, waiting } = setUp();
    stop.abort();
    await clock.advance(9_999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    await waiting;
    expect(seen).toEqual(['late', 'over']);
  });

  it('ends with the work when it stops in time, and sleeps no longer', async () => {
    const { clock, work, stop, seen, waiting } = setUp();
    stop.abort();
    await clock.advance(5_000);
    work.resolve();
    await waiting;
    await clock.advance(10_000);
    expect(seen).toEqual(['over']);
    expect(clock.pending()).toBe(0);
  });

  it('fails as the work does', async () => {
    const { work, waiting } = setUp();
    work.reject(new Error('broken'));
    await expect(waiting).rejects.toThrow('broken');
  });
});
