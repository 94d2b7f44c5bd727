import type { KubeClient, Selection, WatchEvent } from '../client/kube-client.ts';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors.ts';
import type { KubeObject, Resource } from '../objects/object.ts';

export interface WatchOnce<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'watch'>;
  readonly resource: Resource<T>;
  readonly selection: Selection;
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  readonly idleDeadlineMs: number;
  readonly clock: Clock;
  readonly onBytes: () => void;
  readonly onEvent: (event: WatchEvent<T>) => void;
}

/**
 * One watch, until the server ends it.
 * @throws KubeError `timeout` when no byte came for `idleDeadlineMs`: a half-open connection never says that it is dead;
 * whatever the client's watch throws; the signal's reason. The connection is closed in every case.
 */
export async function watchOnce<T extends KubeObject>(watch: WatchOnce<T>, signal: AbortSignal): Promise<void> {
  const { client, resource, selection, resourceVersion, timeoutSeconds, idleDeadlineMs, clock } = watch;
  const life = new AbortController();
  const end = (): void => life.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', end, { once: true });
  let lastByteMs = clock.monotonic();
  const onBytes = (): void => {
    lastByteMs = clock.monotonic();
    watch.onBytes();
  };
  // One sleeper that looks at the time of the last byte: a timer per chunk would cost more than the chunk.
  const guard = async (): Promise<void> => {
    for (let leftMs = idleDeadlineMs; leftMs > 0; leftMs = lastByteMs + idleDeadlineMs - clock.monotonic()) {
      await clock.sleep(leftMs, life.signal);
    }
    life.abort(new KubeError('timeout', 'a watch went silent', { fields: { idleMs: String(idleDeadlineMs) } }));
  };
  void guard().catch(() => undefined); // the watch ended first
  try {
    const options = { ...selection, resourceVersion, timeoutSeconds, allowBookmarks: true, onBytes };
    for await (const event of client.watch(resource, options, life.signal)) watch.onEvent(event);
  } finally {
    signal.removeEventListener('abort', end);
    life.abort();
  }
}
