import type { Clock } from '../clock/clock.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { errorCode, errorRetryAfterMs } from './error-code.ts';
import type { Outcome } from './outcome.ts';
import { runOnce } from './run-once.ts';
import { quietly } from '../timing/quietly.ts';

/** What one reconcile is given beside its key. */
export interface ReconcileContext {
  /** Aborted at the run's deadline and when the controller stops. */
  readonly signal: AbortSignal;
  /** For logs: unique within this process. */
  readonly reconcileId: string;
}

/** A finished reconcile, as the hook is told. */
export interface ReconcileReport<K extends string> {
  readonly controller: string;
  readonly key: K;
  readonly reconcileId: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /**
   * For errors: the `code` of the error if it has one; `internal` for a bug (TypeError and its like);
   * `timeout` for a run that ended by its deadline; else `unknown`.
   */
  readonly code?: string;
  /** Failures of this key in a row, this one included; 0 without an error. */
  readonly attempt: number;
  /** Milliseconds until the key is due again; unset when settled. */
  readonly nextInMs?: number;
}

/** What a controller tells, and lets be put around its runs. */
export interface ControllerHooks<K extends string> {
  readonly onOutcome?: ((report: ReconcileReport<K>) => void) | undefined;
  /** Does the run, once, and ends as it does: for what must be there while it lasts, such as a trace. */
  readonly around?: ((run: RunName<K>, work: () => Promise<Outcome>) => Promise<Outcome>) | undefined;
}

/** Which run it is. */
type RunName<K extends string> = Pick<ReconcileReport<K>, 'controller' | 'key' | 'reconcileId'>;

export interface ControllerOptions<K extends string> {
  readonly name: string;
  readonly queue: WorkQueue<K>;
  /** Brings the world of one key where it should be. It never learns why it runs. */
  readonly reconcile: (key: K, context: ReconcileContext) => Promise<Outcome>;
  /** Keys worked on at once. */
  readonly workers: number;
  readonly clock: Clock;
  /**
   * A run's signal aborts after so long (default 2 min). One that has not ended 5 s later is abandoned: its key is
   * backed off and given out again, since nothing it still does can pass its aborted signal.
   */
  readonly runDeadlineMs?: number | undefined;
  /** When the controller stops, runs under way have so long to end by themselves before their signal aborts. Default 0. */
  readonly drainMs?: number | undefined;
  readonly hooks?: ControllerHooks<K> | undefined;
}

const RUN_DEADLINE_MS = 120_000;

/** Works on the queue's keys until the signal aborts; resolves when the last run has ended. Never rejects. */
export async function runController<K extends string>(
  options: ControllerOptions<K>,
  signal: AbortSignal,
): Promise<void> {
  const { name, queue, reconcile, workers, clock, runDeadlineMs = RUN_DEADLINE_MS, drainMs = 0, hooks } = options;
  if (!Number.isInteger(workers) || workers < 1)
    throw new RangeError(`workers must be a positive integer, not ${workers}`);
  const stop = new AbortController();
  let runs = 0;

  const runKey = async (key: K): Promise<void> => {
    runs += 1;
    const reconcileId = `${name}-${runs}`;
    const startedMs = clock.monotonic();
    const work = (runSignal: AbortSignal): Promise<Outcome> => {
      const run = (): Promise<Outcome> => reconcile(key, { signal: runSignal, reconcileId });
      return hooks?.around?.({ controller: name, key, reconcileId }, run) ?? run();
    };
    const outcome = await runOnce({ work, clock, deadlineMs: runDeadlineMs, stop: stop.signal });
    const durationMs = clock.monotonic() - startedMs;
    const next = schedule(queue, key, outcome);
    queue.done(key);
    // A run cut short by the stop has no outcome worth telling.
    if (stop.signal.aborted && outcome.kind === 'error') return;
    quietly(() => hooks?.onOutcome?.({ controller: name, key, reconcileId, outcome, durationMs, ...next }));
  };

  const worker = async (): Promise<void> => {
    for (let key = await nextKey(queue, signal); key !== undefined; key = await nextKey(queue, signal)) {
      await runKey(key);
    }
  };

  const finished = new AbortController();
  const drain = async (): Promise<void> => {
    await aborted(signal, finished.signal);
    if (drainMs > 0) await clock.sleep(drainMs, finished.signal);
    stop.abort(signal.reason);
  };
  const draining = drain().catch(() => undefined); // every worker ended before
  await Promise.all(Array.from({ length: workers }, worker));
  finished.abort();
  await draining;
}

async function nextKey<K extends string>(queue: WorkQueue<K>, signal: AbortSignal): Promise<K | undefined> {
  try {
    return await queue.take(signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Resolves when `signal` aborts. @throws when `given up` aborts first. */
async function aborted(signal: AbortSignal, givenUp: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true, signal: givenUp });
  givenUp.addEventListener('abort', () => reject(givenUp.reason), { once: true });
  await promise;
}

type Next = Pick<ReconcileReport<string>, 'code' | 'attempt' | 'nextInMs'>;

/** Puts the key back where its outcome says. */
function schedule<K extends string>(queue: WorkQueue<K>, key: K, outcome: Outcome): Next {
  switch (outcome.kind) {
    case 'settled':
      queue.forget(key);
      return { attempt: 0 };
    case 'again':
      queue.forget(key);
      queue.addAfter(key, outcome.afterMs);
      return { attempt: 0, nextInMs: outcome.afterMs };
    default: {
      const retryAfterMs = outcome.retryAfterMs ?? errorRetryAfterMs(outcome.error);
      const nextInMs = queue.addBackoff(key, retryAfterMs);
      return { code: errorCode(outcome.error), attempt: queue.failures(key), nextInMs };
    }
  }
}
