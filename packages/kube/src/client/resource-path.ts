import type { ObjectRef, Resource } from '../objects/object.ts';
import { apiVersionOf } from '../objects/object.ts';

type Place = Pick<Resource, 'group' | 'version' | 'plural' | 'namespaced'>;

/** `/api/v1` for the core group, else `/apis/GROUP/VERSION`. */
export function groupPath(resource: Pick<Resource, 'group' | 'version'>): string {
  return `${resource.group === '' ? '/api' : '/apis'}/${apiVersionOf(resource)}`;
}

/** The path of a collection; without a namespace, of all namespaces. */
export function collectionPath(resource: Place, namespace: string | undefined): string {
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${groupPath(resource)}${scope}/${resource.plural}`;
}

/**
 * The path of one object, or of a subresource of it.
 * @throws TypeError when a namespace is missing or the name is empty: such a path would address the whole collection.
 */
export function objectPath(resource: Place, ref: ObjectRef, subresource?: string): string {
  if (ref.name === '') throw new TypeError(`the name of an object of ${resource.plural} is empty`);
  if (resource.namespaced && (ref.namespace ?? '') === '') {
    throw new TypeError(`${resource.plural} are namespaced, and ${ref.name} was given without a namespace`);
  }
  const path = `${collectionPath(resource, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
