import { ApiError } from './api-error.ts';
import type { ApiClient } from './api.ts';
import type { KubeObject } from './kube-object.ts';

/** Deletes every object of a namespaced collection at once, whatever finalizers it has: nobody may be there to take them off. */
export async function removeAll(
  api: ApiClient,
  collection: string,
  pathOf: (namespace: string, name: string) => string,
): Promise<void> {
  const remove = async ({ metadata }: KubeObject): Promise<void> => {
    const path = pathOf(metadata.namespace ?? '', metadata.name);
    try {
      if (metadata.finalizers !== undefined) await api.patch(path, { metadata: { finalizers: null } });
      await api.delete(`${path}?gracePeriodSeconds=0`);
    } catch (error) {
      // It was being deleted already, and went with its last finalizer.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  };
  await Promise.all((await api.list(collection)).map(remove));
}
