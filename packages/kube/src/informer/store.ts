/** What an informer knows. Keys are `objectKey`s; objects are never to be changed. */
export interface ReadonlyStore<T> {
  get(key: string): T | undefined;
  /** A snapshot, in no particular order. */
  list(): readonly T[];
  keys(): readonly string[];
  readonly size: number;
}
