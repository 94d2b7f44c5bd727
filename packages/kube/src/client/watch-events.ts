import type { KubeObject, Resource } from '../objects/object.ts';
import { attemptOf } from './api-requests.ts';
import type { WatchEvent, WatchOptions } from './kube-client.ts';
import { collectionPath } from './resource-path.ts';
import { translated } from './transport.ts';
import type { Transport } from './transport.ts';
import { parseWatchLine } from './watch-event.ts';
import { watchLines } from './watch-lines.ts';

export interface Watching<T extends KubeObject> {
  readonly transport: Transport;
  readonly resource: Resource<T>;
  readonly watch: WatchOptions;
  readonly signal: AbortSignal;
}

/** One watch, from its request to the end of its stream; leaving the loop closes the connection. */
export async function* watchEvents<T extends KubeObject>({
  transport,
  resource,
  watch,
  signal,
}: Watching<T>): AsyncGenerator<WatchEvent<T>> {
  const attempt = attemptOf('watching', resource, { namespace: watch.namespace });
  const query = {
    watch: 'true',
    labelSelector: watch.labelSelector,
    fieldSelector: watch.fieldSelector,
    resourceVersion: watch.resourceVersion,
    timeoutSeconds: watch.timeoutSeconds.toString(),
    allowWatchBookmarks: watch.allowBookmarks ? 'true' : undefined,
  };
  const path = collectionPath(resource, watch.namespace);
  const answer = await transport.stream({ method: 'GET', path, query, attempt }, signal);
  try {
    const onBytes = watch.onBytes ?? (() => undefined);
    onBytes();
    for await (const line of watchLines(answer, attempt, onBytes)) yield parseWatchLine(line, resource, attempt);
  } catch (error) {
    throw translated(error, attempt, signal);
  } finally {
    answer.destroy();
  }
}
