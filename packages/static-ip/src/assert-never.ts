/** The end of a switch over a tagged union: the compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value ${JSON.stringify(value)}`);
}
