/**
 * What may end the operator, as a closed list, each with the exit code of the process: 1 is a failure at work, 2 is input
 * that has to be changed before another try makes sense.
 */
const EXIT_CODE = {
  /** Flags, environment variables or files given by the user are wrong. */
  badInput: 2,
  /** The provider's module cannot be loaded, or what it exports is no provider. */
  providerUnusable: 2,
  /** A server cannot listen on its address. */
  cannotListen: 1,
} as const;

/** One of the closed list. */
export type OperatorErrorCode = keyof typeof EXIT_CODE;

interface ErrorDetails {
  readonly cause?: unknown;
  /** Names and values, for logs. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The one error class of this package. Its message is complete: it is what a person reads on the terminal. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly code: OperatorErrorCode;
  readonly fields: Readonly<Record<string, string>>;

  constructor(code: OperatorErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.fields = details.fields ?? {};
  }
}

/** The exit code for whatever ended the process: 2 for input errors of any of our packages, else 1. */
export function exitCodeOf(error: unknown): 1 | 2 {
  if (!(error instanceof Error) || !('code' in error)) return 1;
  if (error.name === 'OperatorError')
    return error.code === 'cannotListen' ? EXIT_CODE.cannotListen : EXIT_CODE.badInput;
  if (error.name === 'KubeError') return error.code === 'config' ? 2 : 1;
  if (error.name === 'StaticIpError') return error.code === 'invalid' ? 2 : 1;
  return 1;
}
