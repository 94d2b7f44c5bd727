/** Time, as a port: real in production, virtual in tests and simulations. */
export interface Clock {
  /** Wall time in ms since the epoch: only for what others read. */
  now(): number;
  /** Monotonic time in ms: for every duration, deadline and expiry. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A number in [0, 1). */
export type Random = () => number;

/**
 * The right to change the cloud. A provider asks directly before it sends each mutating request, after every wait of its
 * own, and gives the signal to the call: it aborts before the right ends.
 */
export interface Fence {
  /** @throws the abort reason when the right is lost. */
  enter(): AbortSignal;
}

/** One call to the cloud, in the cloud's own words, for metrics and traces. */
export interface CloudCall {
  readonly action: string;
  /** `ok` or the cloud's own error code. */
  readonly code: string;
  readonly durationMs: number;
}

/** What a plugin's factory is given. */
export interface ProviderContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly fence: Fence;
  /** The process environment, for what belongs to the cloud's own SDK. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Limits per action of the cloud, from `--ec2-rate` and the like; the provider checks the names. */
  readonly rates: Readonly<Record<string, RateLimit>>;
  /** Called after each call; must not throw. */
  readonly onCall: (call: CloudCall) => void;
}

/** A token bucket: `burst` at once, then `perSecond`. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}
