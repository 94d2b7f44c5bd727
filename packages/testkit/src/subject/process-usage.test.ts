import { describe, expect, it } from '@jest/globals';
import { parseProcessUsage, readProcessUsage } from './process-usage.ts';

const STATUS = 'Name:\tnode\nVmPeak:\t 2000 kB\nVmHWM:\t     300 kB\nVmRSS:\t     200 kB\n';

describe('use of a process', () => {
  it('is the peak of resident memory, and user plus system time', () => {
    const stat = '17 (node) S 1 17 17 0 -1 4194560 5 0 0 0 250 50 7 9 20 0 11 0 99 0 0';
    expect(parseProcessUsage({ status: STATUS, stat })).toEqual({ peakRssBytes: 300 * 1024, cpuSeconds: 3 });
  });

  it('is read right when the name of the program holds blanks and parentheses', () => {
    const stat = '17 (a (b) c) S 1 17 17 0 -1 4194560 5 0 0 0 250 50 7 9 20 0 11 0 99 0 0';
    expect(parseProcessUsage({ status: STATUS, stat }).cpuSeconds).toBe(3);
  });

  it('is plausible for this process', () => {
    const { peakRssBytes, cpuSeconds } = readProcessUsage(process.pid);
    expect(peakRssBytes).toBeGreaterThanOrEqual(process.memoryUsage.rss() / 2);
    expect(cpuSeconds).toBeGreaterThan(0);
  });

  it('of a process that has ended is an error', () => {
    expect(() => readProcessUsage(2 ** 22 + 1)).toThrow('it has ended');
  });
});
