/** Time as a port, so that a test or a simulation owns it. */
export interface Clock {
  /** Wall-clock milliseconds since the Unix epoch. May jump; only for showing and for comparing with other machines. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. For every duration and deadline. */
  monotonic(): number;
  /**
   * Waits `ms` milliseconds.
   * @throws the signal's reason when the signal is, or becomes, aborted.
   */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Randomness as a port: a number in [0, 1). Not for secrets. */
export type Random = () => number;
