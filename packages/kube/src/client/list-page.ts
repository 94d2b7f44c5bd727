import { KubeError } from '../errors.ts';
import { isRawObject, memberOf, stringOf } from '../json/shape.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import type { Attempt } from './api-error.ts';
import type { ListPage, RejectedObject } from './kube-client.ts';
import { rawKey } from './watch-event.ts';

/**
 * Reads one page of a list. Objects that the resource refuses are set apart.
 * @throws KubeError `protocol` when the answer is no list: what cannot be read must never look like an empty list.
 */
export function readPage<T extends KubeObject>(
  raw: unknown,
  resource: Resource<T>,
  { what, fields }: Attempt,
): ListPage<T> {
  const metadata = memberOf(raw, 'metadata');
  const resourceVersion = stringOf(memberOf(metadata, 'resourceVersion'));
  // Go writes a nil list as null; a missing member altogether is no list, and must not read as an empty one.
  const list = isRawObject(raw) && 'items' in raw ? (raw['items'] ?? []) : undefined;
  if (resourceVersion === undefined || !Array.isArray(list)) {
    throw new KubeError('protocol', `the answer is not a list while ${what}`, { fields });
  }
  const items: T[] = [];
  const rejected: RejectedObject[] = [];
  for (const item of list as readonly unknown[]) {
    try {
      items.push(resource.parse(item));
    } catch (error) {
      rejected.push({ key: rawKey(item) ?? '', error });
    }
  }
  return { items, rejected, resourceVersion, continue: stringOf(memberOf(metadata, 'continue')) || undefined };
}
