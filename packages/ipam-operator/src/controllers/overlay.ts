import { objectKey } from '@static-ip/kube';
import type { KubeObject, ReadonlyStore } from '@static-ip/kube';

/** A store as the watch fills it, with our own latest writes on top until the watch has caught up. */
export interface Overlay<T extends KubeObject> extends ReadonlyStore<T> {
  /** The object as a write of ours left it. */
  wrote(object: T): void;
}

/** Puts an overlay on a store. */
export function createOverlay<T extends KubeObject>(store: ReadonlyStore<T>): Overlay<T> {
  const written = new Map<string, T>();
  const get = (key: string): T | undefined => {
    const below = store.get(key);
    const top = written.get(key);
    if (top === undefined) return below;
    if (below !== undefined && isOlder(below, top)) return top;
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
    wrote: (object) => {
      written.set(objectKey(object.metadata), object);
    },
  };
}

/**
 * Versions of one resource are decimal numbers that grow (Kubernetes, "Resource versions"). The order decides, not what
 * the store holds when the answer comes: by then the watch may have shown our write and a later one.
 */
function isOlder({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return Number(a.resourceVersion) < Number(b.resourceVersion);
}
