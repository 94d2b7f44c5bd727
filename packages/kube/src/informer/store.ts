import { objectKey } from '../objects/object.ts';
import type { KubeObject } from '../objects/object.ts';

/** What an informer knows. Keys are `objectKey`s; objects are never to be changed. */
export interface ReadonlyStore<T> {
  get(key: string): T | undefined;
  /** A snapshot, in no particular order. */
  list(): readonly T[];
  keys(): readonly string[];
  readonly size: number;
}

/**
 * Called once per change, with the state before and after; never for an unchanged object of a relist.
 * An object that was replaced by another of the same name is one call with two uids.
 */
export type ChangeHandler<T> = (key: string, previous: T | undefined, current: T | undefined) => void;

/** The writer's side of a store. */
export interface Store<T> extends ReadonlyStore<T> {
  set(object: T): void;
  remove(key: string): void;
  /** Replaces everything in one step: then tells what was added, changed and has vanished. `kept` keys stay as they are. */
  replace(objects: readonly T[], kept: ReadonlySet<string>): void;
}

/** Makes an empty store. `changed` is called after the store shows the change. */
export function createStore<T extends KubeObject>(changed: ChangeHandler<T>): Store<T> {
  let objects = new Map<string, T>();

  const set = (object: T): void => {
    const key = objectKey(object.metadata);
    const previous = objects.get(key);
    if (previous !== undefined && isSame(previous, object)) return;
    objects.set(key, object);
    changed(key, previous, object);
  };

  const remove = (key: string): void => {
    const previous = objects.get(key);
    if (previous === undefined) return;
    objects.delete(key);
    changed(key, previous, undefined);
  };

  const replace = (listed: readonly T[], kept: ReadonlySet<string>): void => {
    const before = objects;
    const after = merged(before, listed);
    for (const key of kept) {
      const previous = before.get(key);
      if (previous !== undefined && !after.has(key)) after.set(key, previous);
    }
    objects = after;
    tellChanges(before, after, changed);
  };

  return {
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    keys: () => [...objects.keys()],
    get size() {
      return objects.size;
    },
    set,
    remove,
    replace,
  };
}

/** The listed objects by key; an unchanged one keeps its identity, so that what is remembered about it stays valid. */
function merged<T extends KubeObject>(before: ReadonlyMap<string, T>, listed: readonly T[]): Map<string, T> {
  const after = new Map<string, T>();
  for (const object of listed) {
    const key = objectKey(object.metadata);
    const previous = before.get(key);
    after.set(key, previous !== undefined && isSame(previous, object) ? previous : object);
  }
  return after;
}

function tellChanges<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  changed: ChangeHandler<T>,
): void {
  for (const [key, current] of after) {
    const previous = before.get(key);
    if (previous !== current) changed(key, previous, current);
  }
  for (const [key, previous] of before) if (!after.has(key)) changed(key, previous, undefined);
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}
