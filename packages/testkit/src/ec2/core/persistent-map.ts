const SHARDS = 256;

/**
 * A map by string key whose old versions stay readable after a change: a change copies one of its 256 shards, so one
 * write among 5,000 entries copies about 20. That makes "read the world as it was 5 s ago" free.
 */
export interface PersistentMap<V> {
  readonly size: number;
  readonly shards: readonly ReadonlyMap<string, V>[];
}

/** A map without entries. */
export function emptyMap<V>(): PersistentMap<V> {
  return { size: 0, shards: Array.from({ length: SHARDS }, () => new Map<string, V>()) };
}

/** The value of `key`, or undefined. */
export function lookUp<V>(map: PersistentMap<V>, key: string): V | undefined {
  return map.shards[shardOf(key)]?.get(key);
}

/** A version of `map` in which `key` has `value`. */
export function withEntry<V>(map: PersistentMap<V>, key: string, value: V): PersistentMap<V> {
  const index = shardOf(key);
  const shard = new Map(map.shards[index]);
  const size = map.size + (shard.has(key) ? 0 : 1);
  shard.set(key, value);
  return { size, shards: map.shards.with(index, shard) };
}

/** A version of `map` without `key`; `map` itself if it has no such key. */
export function withoutEntry<V>(map: PersistentMap<V>, key: string): PersistentMap<V> {
  const index = shardOf(key);
  const shard = new Map(map.shards[index]);
  if (!shard.delete(key)) return map;
  return { size: map.size - 1, shards: map.shards.with(index, shard) };
}

/** All values, in an order that depends on the keys alone. */
export function valuesOf<V>(map: PersistentMap<V>): V[] {
  const values: V[] = [];
  for (const shard of map.shards) for (const value of shard.values()) values.push(value);
  return values;
}

function shardOf(key: string): number {
  return hashText(key) % SHARDS;
}

/** A 32-bit FNV-1a hash of a text, for spreading and ordering; not for secrets. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
