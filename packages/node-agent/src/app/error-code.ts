/** The code of a failure for metrics: the error's own, else `internal`, which is a bug. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'internal';
}
