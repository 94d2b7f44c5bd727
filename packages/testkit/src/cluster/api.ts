import { parseAllDocuments } from 'yaml';
import { ApiError } from './api-error.ts';
import { waitUntilServed } from './crd.ts';
import { createHttpClient } from './http.ts';
import type { HttpClient, HttpOptions } from './http.ts';
import type { KubeObject, ObjectRef } from './kube-object.ts';
import { createResourcePaths } from './resource-paths.ts';

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A URL path of the API server, or a reference: `{ apiVersion, kind, metadata: { name, namespace } }`. */
export type Target = string | ObjectRef;

export interface PatchOptions {
  /** Default `merge`. An `apply` patch takes over conflicting fields as field manager `testkit`. */
  readonly type?: keyof typeof PATCH_TYPES;
  readonly subresource?: string;
}

/**
 * A small client for tests. The type argument of an answer is the caller's word for what the server sends.
 * Every method throws ApiError for an error status.
 */
export interface ApiClient {
  get<T extends KubeObject>(target: Target): Promise<T>;
  /** Like `get`, but undefined when there is no such object. */
  find<T extends KubeObject>(target: Target): Promise<T | undefined>;
  /** The items of a collection; the query may hold `labelSelector` and the like. */
  list<T extends KubeObject>(target: Target, query?: Readonly<Record<string, string>>): Promise<readonly T[]>;
  /** Creates the object. Where its kind has a status subresource, the server drops `status`: see `createWithStatus`. */
  create<T extends KubeObject>(object: T): Promise<T>;
  /** Creates the object, then patches the status it has through the status subresource. */
  createWithStatus<T extends KubeObject>(object: T & { readonly status?: unknown }): Promise<T>;
  replace<T extends KubeObject>(object: T): Promise<T>;
  patch<T extends KubeObject>(target: Target, patch: unknown, options?: PatchOptions): Promise<T>;
  /** Merge-patches `status` through the status subresource. */
  patchStatus<T extends KubeObject>(target: Target, status: unknown): Promise<T>;
  /** Deletes the object, or every object of a collection. */
  delete(target: Target): Promise<void>;
  /** Server-side applies every document of a YAML text, in order. */
  applyYaml(yaml: string): Promise<readonly KubeObject[]>;
  /** Applies the custom resource definitions of a YAML text and waits until each can be used (at most 30 s). */
  installCrd(yaml: string): Promise<void>;
  /** For what has no method here: any JSON request. */
  readonly send: HttpClient['send'];
  readonly close: () => Promise<void>;
}

/** A client of the API server at `url` for the user whose token it is. */
export function createApiClient(options: HttpOptions): ApiClient {
  const http = createHttpClient(options);
  const paths = createResourcePaths(http);
  const pathOf = async (target: Target): Promise<string> => (typeof target === 'string' ? target : paths.of(target));

  const get = async <T>(target: Target): Promise<T> => http.send<T>({ method: 'GET', path: await pathOf(target) });

  const patch = async <T>(target: Target, body: unknown, how: PatchOptions = {}): Promise<T> => {
    const type = how.type ?? 'merge';
    const subresource = how.subresource === undefined ? '' : `/${how.subresource}`;
    const query = type === 'apply' ? '?fieldManager=testkit&force=true' : '';
    const path = `${await pathOf(target)}${subresource}${query}`;
    return http.send<T>({ method: 'PATCH', path, body, contentType: PATCH_TYPES[type] });
  };

  const create = async <T extends KubeObject>(object: T): Promise<T> =>
    http.send<T>({ method: 'POST', path: await paths.collectionOf(object), body: object });

  const patchStatus = <T>(target: Target, status: unknown): Promise<T> =>
    patch<T>(target, { status }, { subresource: 'status' });

  const applyYaml = async (yaml: string): Promise<readonly KubeObject[]> => {
    const applied: KubeObject[] = [];
    for (const object of parseObjects(yaml)) applied.push(await patch<KubeObject>(object, object, { type: 'apply' }));
    return applied;
  };

  return {
    get,
    find: async <T>(target: Target) => {
      try {
        return await get<T>(target);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },
    list: async <T>(target: Target, query: Readonly<Record<string, string>> = {}) => {
      const path = `${await pathOf(target)}?${new URLSearchParams(query).toString()}`;
      return (await http.send<{ readonly items: readonly T[] }>({ method: 'GET', path })).items;
    },
    create,
    createWithStatus: async (object) => {
      const created = await create(object);
      return object.status === undefined ? created : patchStatus(object, object.status);
    },
    replace: async <T extends KubeObject>(object: T) =>
      http.send<T>({ method: 'PUT', path: await paths.of(object), body: object }),
    patch,
    patchStatus,
    delete: async (target) => {
      await http.send({ method: 'DELETE', path: await pathOf(target) });
    },
    applyYaml,
    installCrd: async (yaml) => {
      for (const definition of await applyYaml(yaml)) await waitUntilServed(http, definition);
    },
    send: http.send,
    close: http.close,
  };
}

/** @throws Error when a document of the text is not a Kubernetes object. */
function parseObjects(yaml: string): readonly KubeObject[] {
  const objects: KubeObject[] = [];
  for (const document of parseAllDocuments(yaml)) {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const object: KubeObject | null = document.toJS();
    if (object === null) continue;
    if (!object.apiVersion || !object.kind || !object.metadata?.name) {
      throw new Error(`a YAML document lacks apiVersion, kind or metadata.name: ${document.toString().slice(0, 200)}`);
    }
    objects.push(object);
  }
  return objects;
}
