import type { Clock, Random } from '../clock/clock.ts';
import { backoffMs, checkBackoff } from '../timing/backoff.ts';
import { createOrderedList } from './ordered-list.ts';
import { createWakeUp } from './wake-up.ts';

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

/** A due key, ranked when it became due. */
interface Due<K> {
  readonly key: K;
  readonly rank: number | string;
}

/** A key that waits for its time, on the monotonic clock. */
interface Delayed<K> {
  readonly key: K;
  readonly atMs: number;
}

interface Taker<K> {
  readonly give: (key: K | undefined) => void;
}

/** Makes an empty queue. @throws RangeError for a back-off that is not 0 < baseMs <= maxMs. */
export function createWorkQueue<K extends string>(options: WorkQueueOptions<K>): WorkQueue<K> {
  checkBackoff(options.backoff);
  const { clock, random, backoff, priority = () => 0 } = options;
  const due = createOrderedList<Due<K>>((a, b) => compareRanks(a.rank, b.rank));
  const dueKeys = new Set<K>();
  const delayed = createOrderedList<Delayed<K>>((a, b) => a.atMs - b.atMs);
  const delayedByKey = new Map<K, Delayed<K>>();
  const processing = new Set<K>();
  /** Added while being worked on: due again as soon as that ends. */
  const dirty = new Set<K>();
  const failures = new Map<K, number>();
  const takers = new Set<Taker<K>>();
  let closed = false;

  const makeDue = (key: K): void => {
    if (processing.has(key)) dirty.add(key);
    else if (!dueKeys.has(key)) {
      dueKeys.add(key);
      due.insert({ key, rank: priority(key) });
    }
  };

  const dropDelay = (key: K): void => {
    const entry = delayedByKey.get(key);
    if (entry === undefined) return;
    delayedByKey.delete(key);
    delayed.remove(entry);
  };

  const promote = (): void => {
    const nowMs = clock.monotonic();
    for (let next = delayed.first(); next !== undefined && next.atMs <= nowMs; next = delayed.first()) {
      delayed.shift();
      delayedByKey.delete(next.key);
      makeDue(next.key);
    }
  };

  const takeNow = (): K | undefined => {
    const next = due.shift();
    if (next === undefined) return undefined;
    dueKeys.delete(next.key);
    processing.add(next.key);
    return next.key;
  };

  /** Serves waiting takers, then sleeps until the next key's time while anybody still waits. */
  const serve = (): void => {
    promote();
    for (const taker of takers) {
      if (due.size() === 0) break;
      takers.delete(taker);
      taker.give(takeNow());
    }
    wakeUp.set(takers.size > 0 ? delayed.first()?.atMs : undefined);
  };
  const wakeUp = createWakeUp(clock, () => serve());

  const add = (key: K): void => {
    if (closed) return;
    dropDelay(key);
    makeDue(key);
    serve();
  };

  const addAfter = (key: K, delayMs: number): void => {
    if (closed) return;
    if (delayMs <= 0) return add(key);
    const atMs = clock.monotonic() + delayMs;
    const known = delayedByKey.get(key);
    if (dueKeys.has(key) || dirty.has(key) || (known !== undefined && known.atMs <= atMs)) return;
    dropDelay(key);
    const entry = { key, atMs };
    delayedByKey.set(key, entry);
    delayed.insert(entry);
    serve();
  };

  const wait = async (signal: AbortSignal): Promise<K | undefined> => {
    const { promise, resolve, reject } = Promise.withResolvers<K | undefined>();
    const onAbort = (): void => {
      takers.delete(taker);
      reject(signal.reason);
    };
    const taker: Taker<K> = {
      give: (key) => {
        signal.removeEventListener('abort', onAbort);
        resolve(key);
      },
    };
    signal.addEventListener('abort', onAbort, { once: true });
    takers.add(taker);
    serve();
    return promise;
  };

  return {
    add,
    addAfter,
    addBackoff: (key, atLeastMs = 0) => {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      const delayMs = Math.max(atLeastMs, backoffMs(backoff, count, random));
      addAfter(key, delayMs);
      return delayMs;
    },
    forget: (key) => void failures.delete(key),
    failures: (key) => failures.get(key) ?? 0,
    take: async (signal) => {
      signal.throwIfAborted();
      return closed ? undefined : wait(signal);
    },
    done: (key) => {
      processing.delete(key);
      if (!dirty.delete(key) || closed) return;
      makeDue(key);
      serve();
    },
    peek: (n) => due.slice(n).map(({ key }) => key),
    depth: () => due.size(),
    delayed: () => delayed.size(),
    processing: () => processing.size,
    shutdown: () => {
      closed = true;
      wakeUp.set(undefined);
      for (const taker of takers) taker.give(undefined);
      takers.clear();
      due.clear();
      dueKeys.clear();
      delayed.clear();
      delayedByKey.clear();
      dirty.clear();
    },
  };
}

/** Numbers by size, strings by code unit, numbers before strings. */
function compareRanks(a: number | string, b: number | string): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
