import type { Clock, Random } from '../clock/clock.ts';
import type { KubeClient, Selection } from '../client/kube-client.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import type { ReadonlyStore } from './store.ts';

/** Where an informer's error happened. */
export type InformerPhase = 'list' | 'watch' | 'parse' | 'handler';

/** Called as things happen; for logs and metrics. A hook that throws is ignored. */
export interface InformerHooks {
  /** A failed list or watch (retried after a pause), an object skipped for its shape, or a handler that threw. */
  readonly onError?: (error: unknown, context: { readonly phase: InformerPhase; readonly key?: string }) => void;
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

/** Called once per change, with the state before and after; neither for an unchanged object of a relist. */
export type ChangeHandler<T> = (key: string, previous: T | undefined, current: T | undefined) => void;

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

/** Makes an informer; nothing happens before `run`. */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  throw new Error(`not implemented ${options.resource.plural}`);
}
