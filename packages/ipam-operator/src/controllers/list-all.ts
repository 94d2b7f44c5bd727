import { objectKey } from '@static-ip/kube';
import type { KubeClient, KubeObject, ReadonlyStore, Resource } from '@static-ip/kube';

/** What to list; without a namespace: all of them. */
interface Listed<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly namespace?: string | undefined;
}

/** All objects of a kind as they are now, read page by page. @throws KubeError */
export async function listAll<T extends KubeObject>(
  kube: Pick<KubeClient, 'list'>,
  { resource, namespace }: Listed<T>,
  signal: AbortSignal,
): Promise<ReadonlyStore<T>> {
  const items = new Map<string, T>();
  let token: string | undefined;
  do {
    const page = await kube.list(resource, { namespace, limit: 500, continue: token }, signal);
    for (const item of page.items) items.set(objectKey(item.metadata), item);
    token = page.continue;
  } while (token !== undefined);
  return {
    get: (key) => items.get(key),
    list: () => [...items.values()],
    keys: () => [...items.keys()],
    size: items.size,
  };
}
