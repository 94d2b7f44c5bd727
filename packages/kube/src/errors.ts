/** What may be done about a failure: wait with growing pauses, try at once, try much later, or not without a change. */
export type KubeRetry = 'backoff' | 'now' | 'later' | 'never';

/** The closed list of failures, each with its retry class. */
export const KUBE_RETRY = {
  /** 429, or 503 with Retry-After: `retryAfterMs` says how long. */
  throttled: 'backoff',
  /** The server cannot be reached, or answered 5xx. */
  unavailable: 'backoff',
  /** No answer within the deadline: the effect of a write is unknown. */
  timeout: 'backoff',
  /** An answer that is not what the Kubernetes API promises: not JSON, cut, or of another shape. */
  protocol: 'backoff',
  /** The resourceVersion sent is not the current one: read again. */
  conflict: 'now',
  /** 410: the resourceVersion or continue token is too old, list again. */
  gone: 'now',
  alreadyExists: 'never',
  notFound: 'never',
  /** 401, or a credential plugin that failed. */
  unauthorized: 'later',
  forbidden: 'later',
  /** 400, 405, 415, 422: the request itself is wrong. */
  invalid: 'never',
  /** The kubeconfig, its files or the connection options are wrong. */
  config: 'never',
  /** The Lease is not (or no longer) held: nothing may be sent. */
  notLeading: 'never',
} as const satisfies Record<string, KubeRetry>;

/** One of the closed list of failures. */
export type KubeErrorCode = keyof typeof KUBE_RETRY;

/** What an error carries beside its code: ids as fields, never inside the message. */
export interface KubeErrorDetails {
  readonly cause?: unknown;
  readonly fields?: Readonly<Record<string, string>>;
  /** Milliseconds the server asked to wait. */
  readonly retryAfterMs?: number | undefined;
  /** HTTP status, when there was an answer. */
  readonly status?: number | undefined;
}

/** The one error class of this package. Test `code` (or `isKubeError`), not `instanceof`. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: KubeErrorCode;
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(code: KubeErrorCode, message: string, details: KubeErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.fields = details.fields ?? {};
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
  }

  get retry(): KubeRetry {
    return KUBE_RETRY[this.code];
  }
}

/** Whether `error` is a KubeError, and of the given code if one is given. Works across copies of the package. */
export function isKubeError(error: unknown, code?: KubeErrorCode): error is KubeError {
  return isErrorLike(error) && error.name === 'KubeError' && (code === undefined || error.code === code);
}

/** What every error has, and some codes are. */
export interface ErrorLike {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
}

/** Whether something thrown is an error, of whichever realm: `instanceof` knows those of its own only. */
export function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && 'name' in value && 'message' in value;
}

/** The `code` that Node's errors carry; '' when there is none. */
export function errnoOf(error: unknown): string {
  return isErrorLike(error) && typeof error.code === 'string' ? error.code : '';
}
