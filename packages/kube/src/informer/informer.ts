import type { Clock, Random } from '../clock/clock.ts';
import type { KubeClient, Selection } from '../client/kube-client.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import { checkBackoff } from '../timing/backoff.ts';
import { quietly } from '../timing/quietly.ts';
import { listAndWatch } from './list-and-watch.ts';
import type { ErrorContext } from './list-and-watch.ts';
import { createStore } from './store.ts';
import type { ChangeHandler, ReadonlyStore } from './store.ts';

/** Called as things happen; for logs and metrics. A hook that throws is ignored. */
export interface InformerHooks {
  /** A failed list or watch (retried after a pause), an object skipped for its shape, or a handler that threw. */
  readonly onError?: (error: unknown, context: ErrorContext) => void;
  /** A complete list has replaced the store. */
  readonly onRelist?: (info: { readonly objects: number; readonly durationMs: number }) => void;
  /** A sign of life from the server. */
  readonly onActivity?: () => void;
}

export interface InformerOptions<T extends KubeObject> extends Selection {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly resource: Resource<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly hooks?: InformerHooks | undefined;
  /** Objects per list page. Default 500. */
  readonly pageSize?: number | undefined;
  /** The server ends each watch after a time drawn between these. Default 300 to 600. */
  readonly watchTimeoutSeconds?: { readonly min: number; readonly max: number } | undefined;
  /** A watch without a byte for so long is given up. Default 90 s: the server sends a bookmark each minute. */
  readonly idleDeadlineMs?: number | undefined;
  /** A complete list at least so often. Default 30 min. */
  readonly relistPeriodMs?: number | undefined;
  /** Pauses after failures: doubling, with jitter. Default 1 s to 30 s. */
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number } | undefined;
}

/** A live copy of the objects of one resource. */
export interface Informer<T extends KubeObject> {
  readonly store: ReadonlyStore<T>;
  /** Lists and watches until the signal aborts; then resolves. Never rejects for an outside failure. Call it once. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the first complete list is in the store. @throws the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  isSynced(): boolean;
  /** Hears of later changes; the objects already in the store are told at once, as additions. Returns the way out. */
  subscribe(handler: ChangeHandler<T>): () => void;
  /** When the server last gave a sign of life, on the monotonic clock; minus infinity before the first. */
  lastActivityMonotonicMs(): number;
  /** Whether the server gave a sign of life within the idle deadline plus the longest back-off. For liveness probes. */
  healthy(): boolean;
}

/** Makes an informer; nothing happens before `run`. @throws RangeError for a back-off that is not 0 < baseMs <= maxMs. */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const {
    clock,
    hooks = {},
    pageSize = 500,
    watchTimeoutSeconds = { min: 300, max: 600 },
    idleDeadlineMs = 90_000,
    relistPeriodMs = 30 * 60_000,
    backoff = { baseMs: 1_000, maxMs: 30_000 },
  } = options;
  checkBackoff(backoff);
  const handlers = new Set<ChangeHandler<T>>();
  const synced = Promise.withResolvers<void>();
  let isSynced = false;
  let startedMs = -Infinity;
  let lastActivityMs = -Infinity;

  const report = (error: unknown, context: ErrorContext): void => quietly(() => hooks.onError?.(error, context));
  const notify = (handler: ChangeHandler<T>, ...change: Parameters<ChangeHandler<T>>): void => {
    try {
      handler(...change);
    } catch (error) {
      report(error, { phase: 'handler', key: change[0] });
    }
  };
  const store = createStore<T>((...change) => {
    for (const handler of handlers) notify(handler, ...change);
  });

  const onActivity = (): void => {
    lastActivityMs = clock.monotonic();
    quietly(() => hooks.onActivity?.());
  };
  const onRelist = (info: Parameters<NonNullable<InformerHooks['onRelist']>>[0]): void => {
    isSynced = true;
    synced.resolve();
    quietly(() => hooks.onRelist?.(info));
  };

  return {
    store,
    run: async (signal) => {
      startedMs = clock.monotonic();
      const settings = { ...options, pageSize, watchTimeoutSeconds, idleDeadlineMs, relistPeriodMs, backoff };
      await listAndWatch({ ...settings, store, report, onActivity, onRelist }, signal);
    },
    whenSynced: (signal) => untilAborted(synced.promise, signal),
    isSynced: () => isSynced,
    subscribe: (handler) => {
      handlers.add(handler);
      for (const key of store.keys()) notify(handler, key, undefined, store.get(key));
      return () => void handlers.delete(handler);
    },
    lastActivityMonotonicMs: () => lastActivityMs,
    healthy: () => clock.monotonic() - Math.max(lastActivityMs, startedMs) < idleDeadlineMs + 2 * backoff.maxMs,
  };
}

async function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: cut, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, cut]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
