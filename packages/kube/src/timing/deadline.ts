import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors.ts';

/** A number of milliseconds from now, within the life of a signal. */
export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal: AbortSignal;
  /** What is being done, for the message. */
  readonly attempt: string;
}

/** A reason of our own: without one, an error with a stack would be made for each call that ends in time. */
const ENDED = Symbol('ended');

/**
 * Runs `work` with a signal that aborts with `deadline.signal` and at the deadline. Does not wait for work that
 * ignores its signal.
 * @throws KubeError `timeout` at the deadline; the signal's reason when it aborts; what `work` throws.
 */
export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  deadline.signal.throwIfAborted();
  const call = new AbortController();
  const over = new AbortController();
  const cut = Promise.withResolvers<never>();
  const abort = (reason: unknown): void => {
    call.abort(reason);
    cut.reject(reason);
  };
  const forward = (): void => abort(deadline.signal.reason);
  deadline.signal.addEventListener('abort', forward, { once: true });
  deadline.clock.sleep(deadline.ms, over.signal).then(
    () => abort(new KubeError('timeout', `no answer in time while ${deadline.attempt}`, timeoutDetails(deadline))),
    () => undefined, // the work ended first
  );
  try {
    return await Promise.race([work(call.signal), cut.promise]);
  } finally {
    over.abort(ENDED);
    deadline.signal.removeEventListener('abort', forward);
  }
}

function timeoutDetails({ ms }: Deadline): { readonly fields: Readonly<Record<string, string>> } {
  return { fields: { deadlineMs: String(ms) } };
}
