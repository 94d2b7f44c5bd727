import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the part of the heap for new objects as small as it starts. By default V8 lets it grow to tens of megabytes as
 * soon as a burst of answers is parsed, and hardly gives them back: a program that mostly waits for others pays for that
 * in memory on every machine, and would gain a little CPU time that it does not need. Measured on 500 nodes: see
 * docs/benchmark.md. The flag takes effect at the next time that V8 would let it grow.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
