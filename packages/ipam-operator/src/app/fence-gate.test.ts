import { describe, expect, it } from '@jest/globals';
import { createFenceGate } from './fence-gate.ts';

const fenceOf = (signal: AbortSignal) => ({ enter: () => signal });

describe('fence gate', () => {
  it('is closed before leadership and after it, and passes on the fence of the lease in between', () => {
    const gate = createFenceGate();
    const { signal } = new AbortController();
    expect(() => gate.enter()).toThrow('does not hold the lease');
    const close = gate.open(fenceOf(signal));
    expect(gate.enter()).toBe(signal);
    close();
    expect(() => gate.enter()).toThrow('does not hold the lease');
  });

  it('is not closed by an earlier leadership that ends late', () => {
    const gate = createFenceGate();
    const { signal } = new AbortController();
    const closeFirst = gate.open(fenceOf(new AbortController().signal));
    gate.open(fenceOf(signal));
    closeFirst();
    expect(gate.enter()).toBe(signal);
  });
});
