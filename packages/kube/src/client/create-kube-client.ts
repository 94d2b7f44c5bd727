import type { Clock } from '../clock/clock.ts';
import { isKubeError } from '../errors.ts';
import { memberOf } from '../json/shape.ts';
import { apiVersionOf } from '../objects/object.ts';
import { createLimiter } from '../timing/limiter.ts';
import { attemptOf, listQuery, patchRequest, refOf } from './api-requests.ts';
import { createConnector } from './connection.ts';
import type { KubeClient } from './kube-client.ts';
import { readPage } from './list-page.ts';
import { loadKubeConfig } from './load-kube-config.ts';
import { collectionPath, groupPath, objectPath } from './resource-path.ts';
import { createTransport } from './transport.ts';
import { watchEvents } from './watch-events.ts';

export interface KubeClientOptions {
  /** Path of a kubeconfig file. Unset: the service account mounted into the pod. */
  readonly kubeconfig?: string | undefined;
  /** Context of the kubeconfig; default: its current context. */
  readonly context?: string | undefined;
  readonly userAgent: string;
  /** Default field manager of all writes. */
  readonly fieldManager: string;
  readonly clock: Clock;
  /** Deadline of each call but a watch, in milliseconds. Default 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** Writes under way at once, at most. Default 8. */
  readonly maxConcurrentWrites?: number | undefined;
}

/**
 * A client for one API server. Reads the kubeconfig at once, but does not connect yet.
 * @throws KubeError `config` naming the file and what to do.
 */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const connector = createConnector({ load: () => loadKubeConfig(options), clock: options.clock });
  const transport = createTransport({
    connector,
    userAgent: options.userAgent,
    clock: options.clock,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
  });
  const writeTurn = createLimiter(options.maxConcurrentWrites ?? 8);

  return {
    list: async (resource, list, signal) => {
      const request = {
        method: 'GET',
        path: collectionPath(resource, list.namespace),
        query: listQuery(list),
      } as const;
      const attempt = attemptOf('listing', resource, { ...list, name: undefined });
      return readPage(await transport.json({ ...request, attempt }, signal), resource, attempt);
    },
    watch: (resource, watch, signal) => watchEvents({ transport, resource, watch, signal }),
    get: async (resource, ref, signal) => {
      const attempt = attemptOf('reading', resource, ref);
      return resource.parse(await transport.json({ method: 'GET', path: objectPath(resource, ref), attempt }, signal));
    },
    create: async (resource, body, signal) => {
      const ref = refOf(body);
      const attempt = attemptOf('creating', resource, ref);
      const request = {
        method: 'POST',
        path: collectionPath(resource, ref.namespace),
        query: { fieldManager: options.fieldManager },
        body: JSON.stringify({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...body }),
        attempt,
      } as const;
      return resource.parse(await writeTurn(() => transport.json(request, signal), signal));
    },
    // oxlint-disable-next-line max-params -- the port's shape
    patch: async (resource, ref, patch, signal) => {
      const request = patchRequest(resource, ref, {
        ...patch,
        fieldManager: patch.fieldManager ?? options.fieldManager,
      });
      const send = (): Promise<unknown> => transport.json(request, signal);
      return resource.parse(await (patch.urgent === true ? send() : writeTurn(send, signal)));
    },
    // oxlint-disable-next-line max-params -- the port's shape
    delete: async (resource, ref, { uid, propagationPolicy }, signal) => {
      const attempt = attemptOf('deleting', resource, ref);
      const body = JSON.stringify({ propagationPolicy, ...(uid === undefined ? {} : { preconditions: { uid } }) });
      const request = { method: 'DELETE', path: objectPath(resource, ref), body, attempt } as const;
      await writeTurn(() => transport.json(request, signal), signal);
    },
    isServed: async (resource, signal) => {
      const attempt = attemptOf('discovering', resource, {});
      try {
        const found = await transport.json({ method: 'GET', path: groupPath(resource), attempt }, signal);
        const resources = memberOf(found, 'resources');
        return Array.isArray(resources) && resources.some((one: unknown) => memberOf(one, 'name') === resource.plural);
      } catch (error) {
        if (isKubeError(error, 'notFound')) return false;
        throw error;
      }
    },
    close: async () => transport.close(),
  };
}
