import type { Clock } from '../ports.ts';
import type { Pacing } from './pacing.ts';

interface SharedReadOptions<Item, Result> {
  readonly clock: Clock;
  readonly pacing: Pacing;
  /** How many items one read asks for, unless a single caller brings more. */
  readonly maxItems: number;
  /** How many starts may be unanswered at a time: one that hangs must not hold up everybody where this is above 1. */
  readonly maxInFlight: number;
  readonly read: (items: ReadonlyMap<string, Item>, signal: AbortSignal) => Promise<Result>;
}

/** One read that serves many callers. */
export interface SharedRead<Item, Result> {
  /**
   * Asks for items by key. The answer comes from a read that begins after this call, never from one in flight, and
   * covers at least these items. An error of the read goes to every caller it serves. An abort drops its caller only;
   * the read itself runs under a signal of its own, which aborts when every caller it serves has left. An urgent caller
   * waits for a short pause only, and takes everybody along.
   */
  join(items: ReadonlyMap<string, Item>, options: JoinOptions): Promise<Result>;
  /** True when nobody waits, nothing is in flight, and the pacing remembers nothing. */
  isIdle(): boolean;
}

/** How a caller joins. */
export interface JoinOptions {
  readonly signal: AbortSignal;
  readonly urgent?: boolean | undefined;
}

interface Waiter<Item, Result> {
  readonly items: ReadonlyMap<string, Item>;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/** Makes a shared read: callers gather while it may not start, and the next start serves them all. */
export function createSharedRead<Item, Result>(options: SharedReadOptions<Item, Result>): SharedRead<Item, Result> {
  const { clock, pacing, maxItems, maxInFlight } = options;
  const gathering = new Set<Waiter<Item, Result>>();
  /** Of each waiter being served, the batch it is in. */
  const batches = new Map<Waiter<Item, Result>, Batch<Item, Result>>();
  let inFlight = 0;
  let pause: AbortController | undefined;
  let isUrgent = false;

  const pump = (): void => {
    if (pause === undefined && gathering.size > 0 && inFlight < maxInFlight) void startSoon();
  };

  const startSoon = async (): Promise<void> => {
    pause = new AbortController();
    const isDue = await waitOut(clock, { pauseMs: () => pacing.pauseMs(isUrgent) }, pause.signal);
    pause = undefined;
    // The callers may have left, and others come, while it waited.
    if (isDue && gathering.size > 0) void startNow();
    pump();
  };

  const startNow = async (): Promise<void> => {
    const waiters = [...gathering];
    gathering.clear();
    isUrgent = false;
    pacing.started();
    inFlight += 1;
    await Promise.all(splitByItems(waiters, maxItems).map(serve));
    inFlight -= 1;
    pump();
  };

  /** Never rejects: an error of the read is its waiters' answer. */
  const serve = async (waiters: ReadonlySet<Waiter<Item, Result>>): Promise<void> => {
    const batch = { waiters: new Set(waiters), abort: new AbortController() };
    for (const waiter of waiters) batches.set(waiter, batch);
    try {
      const items = new Map([...waiters].flatMap((waiter) => [...waiter.items]));
      const result = await options.read(items, batch.abort.signal);
      for (const waiter of batch.waiters) waiter.resolve(result);
    } catch (error) {
      for (const waiter of batch.waiters) waiter.reject(error);
    } finally {
      for (const waiter of waiters) batches.delete(waiter);
    }
  };

  const leave = (waiter: Waiter<Item, Result>, reason: unknown): void => {
    waiter.reject(reason);
    if (gathering.delete(waiter) && gathering.size === 0) pause?.abort(reason);
    const batch = batches.get(waiter);
    if (batch?.waiters.delete(waiter) === true && batch.waiters.size === 0) batch.abort.abort(reason);
  };

  return {
    isIdle: () => gathering.size === 0 && inFlight === 0 && pacing.isIdle(),
    join: async (items, { signal, urgent = false }) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const waiter = { items, resolve, reject };
      const onAbort = (): void => leave(waiter, signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      gathering.add(waiter);
      if (urgent) {
        isUrgent = true;
        pause?.abort(new Error('somebody is in a hurry'));
      }
      pump();
      return promise.finally(() => signal.removeEventListener('abort', onAbort));
    },
  };
}

interface Batch<Item, Result> {
  readonly waiters: Set<Waiter<Item, Result>>;
  readonly abort: AbortController;
}

/** Waits a microtask at least, so that calls of one turn share a read. False when aborted. */
async function waitOut(clock: Clock, pacing: Pick<Pacing, 'pauseMs'>, signal: AbortSignal): Promise<boolean> {
  await Promise.resolve();
  try {
    for (let ms = pacing.pauseMs(); ms > 0; ms = pacing.pauseMs()) await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Groups of waiters that bring at most `maxItems` different items together; one that brings more goes alone. */
function splitByItems<Item, Result>(
  waiters: readonly Waiter<Item, Result>[],
  maxItems: number,
): readonly ReadonlySet<Waiter<Item, Result>>[] {
  const groups: { readonly waiters: Set<Waiter<Item, Result>>; readonly keys: Set<string> }[] = [];
  for (const waiter of waiters) {
    const last = groups.at(-1);
    const fresh = [...waiter.items.keys()].filter((key) => last?.keys.has(key) !== true);
    if (last === undefined || last.keys.size + fresh.length > maxItems) {
      groups.push({ waiters: new Set([waiter]), keys: new Set(waiter.items.keys()) });
    } else {
      last.waiters.add(waiter);
      for (const key of fresh) last.keys.add(key);
    }
  }
  return groups.map((group) => group.waiters);
}
