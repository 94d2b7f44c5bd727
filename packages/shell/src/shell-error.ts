/** What this package refuses, as a closed list, each with the exit code of the process. */
const EXIT_CODE = {
  /** Flags, environment variables or files given by the user are wrong. */
  badInput: 2,
  /** A server cannot listen on its address. */
  cannotListen: 1,
} as const;

/** One of the closed list. */
export type ShellErrorCode = keyof typeof EXIT_CODE;

interface ErrorDetails {
  readonly cause?: unknown;
  /** Names and values, for logs. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The one error class of this package. Its message is complete: it is what a person reads on the terminal. */
export class ShellError extends Error {
  override readonly name = 'ShellError';
  readonly code: ShellErrorCode;
  readonly fields: Readonly<Record<string, string>>;

  constructor(code: ShellErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.fields = details.fields ?? {};
  }
}

/** For each error class by name: the codes that mean input which must be changed before another try makes sense. */
export type InputErrors = Readonly<Record<string, readonly string[]>>;

/** The exit code for whatever ended the process: 2 for wrong input, known by the error's name and code, else 1. */
export function exitCodeOf(error: unknown, inputErrors: InputErrors): 1 | 2 {
  if (!(error instanceof Error) || !('code' in error)) return 1;
  const { name, code } = error;
  if (name === 'ShellError') return code === 'badInput' ? EXIT_CODE.badInput : EXIT_CODE.cannotListen;
  return inputErrors[name]?.some((wrong) => wrong === code) === true ? 2 : 1;
}
