/** The closed list of failures of the node agent, each with what may be done about it. */
export const AGENT_RETRY = {
  /** A program of the system refused: another writer was faster, or a right is missing. */
  refused: 'backoff',
  /** A program of the system gave no answer in time. */
  timeout: 'backoff',
  /** An answer that is not of the shape its program promises. */
  protocol: 'backoff',
  /** A program that this job needs is not installed. */
  missing: 'later',
  /** An option is wrong. */
  config: 'never',
} as const;

/** One of the closed list of failures. */
export type AgentErrorCode = keyof typeof AGENT_RETRY;

/** The error class of this package. Test `code` (or `isAgentError`), not `instanceof`. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: AgentErrorCode;
  /** What the message is about: a program, its arguments, what it said. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    code: AgentErrorCode,
    message: string,
    details: { readonly fields?: Readonly<Record<string, string>>; readonly cause?: unknown } = {},
  ) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.fields = details.fields ?? {};
  }
}

/** Whether `error` is an AgentError, of the given code if one is given. */
export function isAgentError(error: unknown, code?: AgentErrorCode): error is AgentError {
  if (!(error instanceof Error) || error.name !== 'AgentError' || !('code' in error)) return false;
  return code === undefined || error.code === code;
}
