import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors.ts';
import { failed } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** What an abandoned run is given to end after its signal aborted, in milliseconds. */
const GRACE_MS = 5_000;

export interface Run {
  readonly work: (signal: AbortSignal) => Promise<Outcome>;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Aborts the run. */
  readonly stop: AbortSignal;
}

/**
 * Does the work once. Never rejects: what is thrown becomes an error outcome. At the deadline, and when told to stop,
 * the work's signal aborts; work that goes on regardless is left behind after a grace time.
 */
export async function runOnce({ work, clock, deadlineMs, stop }: Run): Promise<Outcome> {
  const run = new AbortController();
  const over = new AbortController();
  const left = Promise.withResolvers<Outcome>();
  const end = async (reason: unknown): Promise<void> => {
    run.abort(reason);
    await clock.sleep(GRACE_MS, over.signal);
    left.resolve(failed(reason));
  };
  const onStop = (): void => void end(stop.reason).catch(ignore);
  if (stop.aborted) onStop();
  stop.addEventListener('abort', onStop, { once: true });
  clock
    .sleep(deadlineMs, over.signal)
    .then(() => end(tooLong(deadlineMs)))
    .catch(ignore);
  try {
    return await Promise.race([attempt(work, run.signal), left.promise]);
  } finally {
    over.abort();
    stop.removeEventListener('abort', onStop);
  }
}

/** For timers of a run that ended first. */
function ignore(): void {}

async function attempt(work: Run['work'], signal: AbortSignal): Promise<Outcome> {
  try {
    return await work(signal);
  } catch (error) {
    // An echo of our own abort is reported as what caused it.
    return failed(signal.aborted ? signal.reason : error);
  }
}

function tooLong(deadlineMs: number): KubeError {
  return new KubeError('timeout', 'a reconcile did not end in time', { fields: { deadlineMs: String(deadlineMs) } });
}
