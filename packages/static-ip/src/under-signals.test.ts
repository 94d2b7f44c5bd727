import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { underSignals } from './under-signals.ts';

describe('underSignals', () => {
  it('aborts with the reason of the first source that does, also of one that has already', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const reasonOf = async (signal: AbortSignal): Promise<unknown> => {
      two.abort(new Error('second'));
      one.abort(new Error('first, but later'));
      return signal.reason;
    };
    expect(await underSignals([one.signal, two.signal], reasonOf)).toEqual(new Error('second'));
    const late = await underSignals([new AbortController().signal, one.signal], async ({ reason }) => reason);
    expect(late).toEqual(new Error('first, but later'));
  });

  it('leaves no listener on a source, whether the work ends well or not', async () => {
    const source = new AbortController();
    const during = await underSignals([source.signal], async () => getEventListeners(source.signal, 'abort').length);
    const failing = underSignals([source.signal], async () => {
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(during).toBe(1);
    expect(getEventListeners(source.signal, 'abort')).toEqual([]);
  });
});
