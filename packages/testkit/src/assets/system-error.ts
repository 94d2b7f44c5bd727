/**
 * The `code` of an error of Node.js, such as `ENOENT`, or the exit code of a command; undefined for anything else.
 * By shape rather than `instanceof`: under jest such errors come from another realm.
 */
export function systemErrorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
