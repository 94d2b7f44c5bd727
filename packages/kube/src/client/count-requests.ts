import type { Clock } from '../clock/clock.ts';
import { isKubeError } from '../errors.ts';
import type { KubeClient } from './kube-client.ts';

/** Where requests are counted, in whatever way. */
interface RequestCounter {
  /** A watch has no duration: it is counted when it ends. `code` is `ok`, an error's code, or `aborted`. */
  kubeRequest(request: {
    readonly verb: string;
    readonly resource: string;
    readonly code: string;
    readonly durationMs?: number | undefined;
  }): void;
}

interface Deps {
  readonly metrics: RequestCounter;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The same client, each of whose requests is counted and timed. A request that was aborted has the code `aborted`. */
export function countRequests(client: KubeClient, { metrics, clock }: Deps): KubeClient {
  const counted = async <T>(verb: string, resource: string, send: () => Promise<T>): Promise<T> => {
    const startMs = clock.monotonic();
    let code = 'ok';
    try {
      return await send();
    } catch (error) {
      code = isKubeError(error) ? error.code : 'aborted';
      throw error;
    } finally {
      metrics.kubeRequest({ verb, resource, code, durationMs: clock.monotonic() - startMs });
    }
  };
  return {
    list: (resource, options, signal) => counted('list', resource.plural, () => client.list(resource, options, signal)),
    get: (resource, ref, signal) => counted('get', resource.plural, () => client.get(resource, ref, signal)),
    create: (resource, body, signal) => counted('create', resource.plural, () => client.create(resource, body, signal)),
    patch: (...call) => counted('patch', call[0].plural, () => client.patch(...call)),
    delete: (...call) => counted('delete', call[0].plural, () => client.delete(...call)),
    isServed: (resource, signal) => counted('discover', resource.plural, () => client.isServed(resource, signal)),
    watch: (resource, options, signal) => countWatch(resource.plural, client.watch(resource, options, signal), metrics),
    close: () => client.close(),
  };
}

/** A watch is counted when it ends, whoever ends it, and not timed: it lasts as long as it can. */
async function* countWatch<T>(resource: string, events: AsyncIterable<T>, metrics: Deps['metrics']): AsyncIterable<T> {
  let code = 'ok';
  try {
    yield* events;
  } catch (error) {
    code = isKubeError(error) ? error.code : 'aborted';
    throw error;
  } finally {
    metrics.kubeRequest({ verb: 'watch', resource, code });
  }
}
