import type { Clock } from '../clock/clock.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { Outcome } from './outcome.ts';

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
  readonly hooks?: { readonly onOutcome?: (report: ReconcileReport<K>) => void } | undefined;
}

/** Works on the queue's keys until the signal aborts; resolves when the last run has ended. Never rejects. */
export function runController<K extends string>(options: ControllerOptions<K>, signal: AbortSignal): Promise<void> {
  throw new Error(`not implemented ${options.name} ${signal.aborted}`);
}
