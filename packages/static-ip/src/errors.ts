/**
 * What to do after an error, by its code. `backoff`: try again with growing pauses. `now`: read again and decide
 * anew at once. `later`: a state to wait in, with a reason a user can act on. `never`: until the input changes.
 */
export const RETRY = {
  /** The cloud refused for the rate of calls. */
  throttled: 'backoff',
  /** No answer, or a fault on the cloud's side, and the call surely had no effect. */
  unavailable: 'backoff',
  /** A mutating call may or may not have taken effect: observe before anything else. */
  unknown: 'backoff',
  /** A bug of ours or an answer nobody expected. */
  internal: 'backoff',
  /** Somebody else was faster: the address or the target changed since it was read. */
  conflict: 'now',
  /** No address of the selection is left. */
  exhausted: 'later',
  /** The account's quota is reached. */
  quota: 'later',
  /** The cloud's access rules forbid it, or the credentials are not accepted. */
  denied: 'later',
  /** The address or the target is used by somebody else. */
  inUse: 'later',
  /** The target exists but cannot take an address yet, for example an instance that is still starting. */
  notReady: 'later',
  /** No such thing, or not visible yet: new ids may be hidden for a while. */
  notFound: 'later',
  /** The request can never succeed as it is. */
  invalid: 'never',
  /** This provider, or this kind of target, cannot do it. */
  unsupported: 'never',
} as const;

/** The closed list of error codes of a provider. */
export type StaticIpErrorCode = keyof typeof RETRY;

/** What the caller may do after an error. */
export type RetryClass = (typeof RETRY)[StaticIpErrorCode];

interface ErrorDetails {
  readonly cause?: unknown;
  /** Ids and names: never in the message, so that messages stay comparable. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The only error a provider throws, an abort apart. Test `name` and `code`: two copies of this class may be loaded. */
export class StaticIpError extends Error {
  override readonly name = 'StaticIpError';
  readonly code: StaticIpErrorCode;
  readonly fields: Readonly<Record<string, string>>;

  constructor(code: StaticIpErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.fields = details.fields ?? {};
  }

  get retry(): RetryClass {
    return RETRY[this.code];
  }
}

/** True for an error of this package, also one made by another copy of it (a plugin brings its own). */
export function isStaticIpError(error: unknown): error is StaticIpError {
  return error instanceof Error && error.name === 'StaticIpError' && 'code' in error && String(error.code) in RETRY;
}

/** Any thrown value as a StaticIpError: what is not one already is a bug, code `internal`. */
export function toStaticIpError(error: unknown): StaticIpError {
  if (isStaticIpError(error)) return error;
  return new StaticIpError('internal', 'unexpected error', { cause: error });
}
