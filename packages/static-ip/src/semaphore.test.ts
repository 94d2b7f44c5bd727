import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createSemaphore } from './semaphore.ts';

const live = new AbortController().signal;

describe('semaphore', () => {
  it('lets no more in than it has places, and the next in line when one leaves, even by an error', async () => {
    const semaphore = createSemaphore(2);
    const inside: PromiseWithResolvers<void>[] = [];
    const enter = () => {
      const stay = Promise.withResolvers<void>();
      inside.push(stay);
      return stay.promise;
    };
    const runs = [0, 1, 2, 3].map(() => semaphore.run(enter, live));
    await turn();
    expect(inside).toHaveLength(2);
    inside[0]?.reject(new Error('failed inside'));
    await expect(runs[0]).rejects.toThrow('failed inside');
    await turn();
    expect(inside).toHaveLength(3);
    inside[1]?.resolve();
    await runs[1];
    await turn();
    expect(inside).toHaveLength(4);
    for (const stay of inside) stay.resolve();
    await Promise.all(runs.slice(2));
  });

  it('drops one that leaves the line, and keeps its place for others', async () => {
    const semaphore = createSemaphore(1);
    const stay = Promise.withResolvers<void>();
    const first = semaphore.run(() => stay.promise, live);
    const abort = new AbortController();
    const leaving = semaphore.run(async () => 'never', abort.signal);
    const last = semaphore.run(async () => 'last', live);
    abort.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    stay.resolve();
    await first;
    expect(await last).toBe('last');
  });
});
