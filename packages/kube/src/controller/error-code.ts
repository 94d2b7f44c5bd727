import { errnoOf, isErrorLike } from '../errors.ts';

/** Errors that only a mistake in the program raises. */
const BUGS: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError', 'EvalError']);

/** The code to report for something thrown: `internal` for a bug, the error's own `code`, else `unknown`. */
export function errorCode(error: unknown): string {
  return isErrorLike(error) && BUGS.has(error.name) ? 'internal' : errnoOf(error) || 'unknown';
}

/** How long the server asked to wait, when the error says so. */
export function errorRetryAfterMs(error: unknown): number | undefined {
  if (!isErrorLike(error) || !('retryAfterMs' in error)) return undefined;
  return typeof error.retryAfterMs === 'number' ? error.retryAfterMs : undefined;
}
