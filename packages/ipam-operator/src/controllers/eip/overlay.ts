import { objectKey } from '@static-ip/kube';
import type { KubeObject, ReadonlyStore } from '@static-ip/kube';

/** A store as the watch fills it, with our own latest writes on top until the watch has caught up. */
export interface Overlay<T extends KubeObject> extends ReadonlyStore<T> {
  /** The object as a write of ours left it. */
  wrote(object: T): void;
}

interface Written<T> {
  readonly object: T;
  /** The version that the store had then: once it has another one, the store is believed. */
  readonly over: string | undefined;
}

/** Puts an overlay on a store. */
export function createOverlay<T extends KubeObject>(store: ReadonlyStore<T>): Overlay<T> {
  const written = new Map<string, Written<T>>();
  const get = (key: string): T | undefined => {
    const below = store.get(key);
    const top = written.get(key);
    if (top === undefined) return below;
    if (below !== undefined && below.metadata.resourceVersion === top.over) return top.object;
    written.delete(key);
    return below;
  };
  return {
    get,
    keys: () => store.keys(),
    list: () => store.keys().flatMap((key) => get(key) ?? []),
    get size() {
      return store.size;
    },
    wrote(object) {
      const key = objectKey(object.metadata);
      const below = store.get(key);
      // The watch may have been faster than the answer.
      if (below?.metadata.resourceVersion === object.metadata.resourceVersion) return;
      written.set(key, { object, over: below?.metadata.resourceVersion });
    },
  };
}
