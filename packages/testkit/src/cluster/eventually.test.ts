import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.ts';

const soon = { timeoutMs: 5_000, intervalMs: 0 };

describe('eventually', () => {
  it('tries again while the predicate is false or the assertion throws, and answers the value', async () => {
    const answers = [() => false as const, () => expect(1).toBe(2), () => 'done'];
    expect(await eventually(() => answers.shift()?.(), soon)).toBe('done');
    expect(answers).toHaveLength(0);
  });

  it('ends at its deadline with the last failure', async () => {
    const failure = new Error('still one node short');
    await expect(eventually(() => Promise.reject(failure), { timeoutMs: 0 })).rejects.toMatchObject({
      message: 'not within 0 ms: still one node short',
      cause: failure,
    });
  });

  it('ends when its signal is aborted', async () => {
    const abort = new AbortController();
    const attempt = (): boolean => {
      abort.abort(new Error('stopped'));
      return false;
    };
    await expect(eventually(attempt, { ...soon, signal: abort.signal })).rejects.toThrow('stopped');
  });
});
