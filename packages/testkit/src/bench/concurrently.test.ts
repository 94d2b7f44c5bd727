import { describe, expect, it } from '@jest/globals';
import { concurrently } from './concurrently.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('concurrently', () => {
  it('works on every item, never on more than the limit at a time', async () => {
    const done: number[] = [];
    let [current, most] = [0, 0];
    await concurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      most = Math.max(most, ++current);
      await turn();
      current--;
      done.push(item);
    });
    expect(done.toSorted((left, right) => left - right)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('starts nothing more after a failure', async () => {
    const started: number[] = [];
    const running = concurrently([1, 2, 3, 4], 1, async (item) => {
      started.push(item);
      await turn();
      if (item === 2) throw new Error('two');
    });
    await expect(running).rejects.toThrow('two');
    expect(started).toEqual([1, 2]);
  });
});
