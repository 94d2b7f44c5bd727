/** Errors that only a mistake in the program raises. */
const BUGS: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError', 'EvalError']);

/** The code to report for something thrown: `internal` for a bug, the error's own `code`, else `unknown`. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (BUGS.has(error.name)) return 'internal';
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** How long the server asked to wait, when the error says so. */
export function errorRetryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('retryAfterMs' in error)) return undefined;
  return typeof error.retryAfterMs === 'number' ? error.retryAfterMs : undefined;
}
