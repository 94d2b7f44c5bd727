import type { Clock, Random } from '../clock/clock.ts';

export interface WorkQueueOptions<K extends string> {
  readonly clock: Clock;
  readonly random: Random;
  /** Pause after the n-th failure in a row: baseMs·2ⁿ⁻¹, at most maxMs, with jitter. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /**
   * Order among due keys: the smallest first (strings by code unit), ties in order of adding. Asked when a key becomes
   * due. Default: all equal, first in first out.
   */
  readonly priority?: ((key: K) => number | string) | undefined;
}

/**
 * A queue of keys. A key is queued once however often it is added; it is never given out twice at a time; one added
 * while it is being worked on is given out again afterwards.
 */
export interface WorkQueue<K extends string> {
  /** The key is due now. */
  add(key: K): void;
  /** The key is due after `delayMs`, unless it is due earlier already. */
  addAfter(key: K, delayMs: number): void;
  /** Counts a failure and queues the key after its back-off, or `atLeastMs` if longer. Returns the pause in ms. */
  addBackoff(key: K, atLeastMs?: number): number;
  /** Forgets the failures of a key. */
  forget(key: K): void;
  /** Failures in a row so far. */
  failures(key: K): number;
  /** Waits for the next due key and gives it out; `done` must follow. @throws the signal's reason; after `shutdown` undefined. */
  take(signal: AbortSignal): Promise<K | undefined>;
  /** The work on a key taken is over. */
  done(key: K): void;
  /** The next `n` due keys in order, without taking them: for reading ahead. */
  peek(n: number): readonly K[];
  /** Due keys that nobody works on. */
  depth(): number;
  /** Keys that wait for their time. */
  delayed(): number;
  /** Keys being worked on. */
  processing(): number;
  /** No more keys are given out or taken in; waiting takers get undefined. */
  shutdown(): void;
}

/** Makes an empty queue. @throws RangeError for a back-off that is not 0 < baseMs <= maxMs. */
export function createWorkQueue<K extends string>(options: WorkQueueOptions<K>): WorkQueue<K> {
  throw new Error(`not implemented ${options.backoff.baseMs}`);
}
