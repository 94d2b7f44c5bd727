import type { KubeClient, Selection, WatchEvent } from '../client/kube-client.ts';
import type { Clock, Random } from '../clock/clock.ts';
import { isKubeError } from '../errors.ts';
import { objectKey } from '../objects/object.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import { backoffMs } from '../timing/backoff.ts';
import type { Backoff } from '../timing/backoff.ts';
import { listAll } from './list-all.ts';
import type { Store } from './store.ts';
import { watchOnce } from './watch-once.ts';

/** Where an informer's error happened. */
export type InformerPhase = 'list' | 'watch' | 'parse' | 'handler';

/** What an error was about. */
export interface ErrorContext {
  readonly phase: InformerPhase;
  readonly key?: string;
}

/** What a list-and-watch loop needs; see the informer's options. */
export interface ListAndWatch<T extends KubeObject> extends Selection {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly resource: Resource<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly pageSize: number;
  readonly watchTimeoutSeconds: { readonly min: number; readonly max: number };
  readonly idleDeadlineMs: number;
  readonly relistPeriodMs: number;
  readonly backoff: Backoff;
  readonly store: Store<T>;
  readonly report: (error: unknown, context: ErrorContext) => void;
  readonly onActivity: () => void;
  readonly onRelist: (info: { readonly objects: number; readonly durationMs: number }) => void;
}

/** How far the loop is: where to watch from, and until when that will do without a list. */
interface Position {
  readonly resourceVersion: string;
  readonly relistAtMs: number;
}

/**
 *  ┌── no position ──► list all pages ──► swap the store ──┐
 *  │                        │ failed: pause                ▼
 *  └─ gone, garbled, or ◄───┴───────────────────── watch from position ◄─┐
 *     relist is due                                        └─ ended, cut ┘ (pause unless it had lived)
 *
 * One loop, one request at a time: there is never a second watch. Ends when the signal aborts.
 */
export async function listAndWatch<T extends KubeObject>(it: ListAndWatch<T>, signal: AbortSignal): Promise<void> {
  const { clock, backoff } = it;
  // A stream that lived for so long was a success, whatever ended it.
  const livedMs = Math.min(backoff.maxMs, 10 * backoff.baseMs);
  let position: Position | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const startedMs = clock.monotonic();
    const before = position;
    const step = await attempt(it, before, signal);
    if (signal.aborted) return;
    position = step.position;
    // A list alone proves little: only a stream that lives ends a row of failures.
    if (before === undefined && step.error === undefined) continue;
    const lived = before !== undefined && clock.monotonic() - startedMs >= livedMs;
    failures = lived ? 0 : failures + 1;
    // A stream that ends well but at once counts as failed: else a server that closes each one makes a storm.
    if (lived && step.error === undefined) continue;
    await pause(it, { failures: Math.max(1, failures), error: step.error }, signal);
  }
}

interface Step {
  /** Where to watch from next; undefined: list. */
  readonly position: Position | undefined;
  readonly error: unknown;
}

/** One list or one watch. Never rejects. */
async function attempt<T extends KubeObject>(
  it: ListAndWatch<T>,
  from: Position | undefined,
  signal: AbortSignal,
): Promise<Step> {
  let position = from;
  try {
    if (position === undefined) return { position: await list(it, signal), error: undefined };
    const { relistAtMs } = position;
    const onEvent = (event: WatchEvent<T>): void => {
      applyEvent(it, event);
      position = { resourceVersion: event.resourceVersion, relistAtMs };
    };
    await watch(it, { position, onEvent }, signal);
    return { position: it.clock.monotonic() < relistAtMs ? position : undefined, error: undefined };
  } catch (error) {
    if (!signal.aborted) it.report(error, { phase: from === undefined ? 'list' : 'watch' });
    return { position: keepsPosition(error) ? position : undefined, error };
  }
}

/** Failures after which the version last seen is still good. After all others (gone, garbled, …) only a list helps. */
function keepsPosition(error: unknown): boolean {
  if (!isKubeError(error)) return false;
  return ['unavailable', 'timeout', 'throttled', 'unauthorized', 'forbidden', 'config'].includes(error.code);
}

async function list<T extends KubeObject>(it: ListAndWatch<T>, signal: AbortSignal): Promise<Position> {
  const { clock, resource, client, pageSize, onActivity, store } = it;
  const startedMs = clock.monotonic();
  const all = await listAll({ client, resource, selection: selectionOf(it), pageSize, onPage: onActivity }, signal);
  for (const { key, error } of all.rejected) it.report(error, { phase: 'parse', key });
  // What cannot be read is not gone: it stays as it was last seen.
  store.replace(all.items, new Set(all.rejected.map(({ key }) => key)));
  const nowMs = clock.monotonic();
  it.onRelist({ objects: all.items.length, durationMs: nowMs - startedMs });
  return { resourceVersion: all.resourceVersion, relistAtMs: nowMs + it.relistPeriodMs };
}

interface Watching<T> {
  readonly position: Position;
  readonly onEvent: (event: WatchEvent<T>) => void;
}

async function watch<T extends KubeObject>(
  it: ListAndWatch<T>,
  { position, onEvent }: Watching<T>,
  signal: AbortSignal,
) {
  const { client, resource, clock, random, idleDeadlineMs, onActivity } = it;
  const { min, max } = it.watchTimeoutSeconds;
  const { resourceVersion } = position;
  // Spread, so that the informers of many processes do not come back all at once.
  const timeoutSeconds = Math.round(min + random() * (max - min));
  const selection = selectionOf(it);
  await watchOnce(
    {
      client,
      resource,
      selection,
      resourceVersion,
      timeoutSeconds,
      idleDeadlineMs,
      clock,
      onBytes: onActivity,
      onEvent,
    },
    signal,
  );
}

function applyEvent<T extends KubeObject>(it: ListAndWatch<T>, event: WatchEvent<T>): void {
  switch (event.type) {
    case 'added':
    case 'modified':
      return it.store.set(event.object);
    case 'deleted':
      return it.store.remove(objectKey(event.object.metadata));
    case 'rejected':
      if (event.removed) return it.store.remove(event.key);
      return it.report(event.error, { phase: 'parse', key: event.key });
    case 'bookmark':
      return undefined;
  }
}

function selectionOf({ namespace, labelSelector, fieldSelector }: Selection): Selection {
  return { namespace, labelSelector, fieldSelector };
}

interface Failure {
  readonly failures: number;
  readonly error: unknown;
}

async function pause<T extends KubeObject>(it: ListAndWatch<T>, { failures, error }: Failure, signal: AbortSignal) {
  const askedMs = isKubeError(error) ? (error.retryAfterMs ?? 0) : 0;
  const ms = Math.max(askedMs, backoffMs(it.backoff, failures, it.random));
  await it.clock.sleep(ms, signal).catch(() => undefined); // aborted: the loop sees it
}
