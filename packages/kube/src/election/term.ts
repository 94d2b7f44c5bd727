import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors.ts';

/** Proof of leadership, asked directly before each mutating send. */
export interface Fence {
  /**
   * A signal to give to the call about to be made: it aborts before the lease ends.
   * @throws KubeError `notLeading` when the lease is not validly held by the monotonic clock.
   */
  enter(): AbortSignal;
  /** Milliseconds the lease is still valid if not renewed, margin taken off; 0 when it is not held. */
  remainingMs(): number;
}

/** One time of holding the lease, from taking it to giving it up or losing it. */
export interface Term {
  /** Aborts when the term ends against our will, at the latest before the lease does. */
  readonly lost: AbortSignal;
  /** The lease was renewed by a request sent at `sentMs` on the monotonic clock. */
  renewed(sentMs: number): void;
  /** Ends the term against our will. */
  lose(reason: string): void;
  /** Milliseconds we may still act; 0: none. */
  remainingMs(): number;
  /** Stops the watch over the time. The term is over. */
  end(): void;
}

export interface TermOptions {
  readonly clock: Clock;
  readonly sentMs: number;
  /** How long after the sending of a renewal we act: less than the lease's duration, so that calls end before it does. */
  readonly trustedMs: number;
}

/** Begins a term. Time counts from the sending of a request, since the server may have acted then at the earliest. */
export function beginTerm({ clock, sentMs, trustedMs }: TermOptions): Term {
  const lost = new AbortController();
  const over = new AbortController();
  let untilMs = sentMs + trustedMs;

  const remainingMs = (): number =>
    lost.signal.aborted || over.signal.aborted ? 0 : Math.max(0, untilMs - clock.monotonic());

  const lose = (reason: string): void => {
    if (over.signal.aborted) return;
    lost.abort(new KubeError('notLeading', 'the lease was lost', { fields: { reason } }));
    over.abort();
  };

  const guard = async (): Promise<void> => {
    for (let leftMs = remainingMs(); leftMs > 0; leftMs = remainingMs()) await clock.sleep(leftMs, over.signal);
    lose('it could not be renewed in time');
  };
  void guard().catch(() => undefined); // the term ended first

  return {
    lost: lost.signal,
    renewed: (at) => {
      // An answer that comes too late must not bring a term back to life.
      if (remainingMs() > 0) untilMs = Math.max(untilMs, at + trustedMs);
    },
    lose,
    remainingMs,
    end: () => over.abort(),
  };
}
