import { KubeError } from '../errors.ts';
import { memberOf, stringOf } from '../json/shape.ts';
import { objectKey } from '../objects/object.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import { errorFromStatus } from './api-error.ts';
import type { Attempt } from './api-error.ts';
import type { WatchEvent } from './kube-client.ts';

const CHANGES = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;

/**
 * Reads one line of a watch.
 * @throws KubeError `protocol` for a line that is no event; for an ERROR line what its Status says (410: `gone`).
 */
export function parseWatchLine<T extends KubeObject>(
  line: string,
  resource: Resource<T>,
  attempt: Attempt,
): WatchEvent<T> {
  const event = parseJson(line, attempt);
  const type = memberOf(event, 'type');
  const raw = memberOf(event, 'object');
  if (type === 'ERROR') throw errorFromStatus(raw, attempt);
  const resourceVersion = stringOf(memberOf(memberOf(raw, 'metadata'), 'resourceVersion'));
  if (resourceVersion === undefined) throw noEvent(attempt);
  if (type === 'BOOKMARK') return { type: 'bookmark', resourceVersion };
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') throw noEvent(attempt);
  try {
    return { type: CHANGES[type], object: resource.parse(raw), resourceVersion };
  } catch (error) {
    const key = rawKey(raw);
    if (key === undefined) throw noEvent(attempt, error);
    return { type: 'rejected', key, removed: type === 'DELETED', error, resourceVersion };
  }
}

/** The key of an object whose parse failed; undefined when not even its name is readable. */
export function rawKey(raw: unknown): string | undefined {
  const metadata = memberOf(raw, 'metadata');
  const name = stringOf(memberOf(metadata, 'name'));
  return name === undefined ? undefined : objectKey({ name, namespace: stringOf(memberOf(metadata, 'namespace')) });
}

function parseJson(line: string, attempt: Attempt): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (cause) {
    throw noEvent(attempt, cause);
  }
}

function noEvent({ what, fields }: Attempt, cause?: unknown): KubeError {
  return new KubeError('protocol', `a line is not a watch event while ${what}`, { fields, cause });
}
