import type { HttpClient } from './http.ts';
import type { ObjectRef } from './kube-object.ts';

interface Resource {
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Finds the URL path of any object through the server's discovery, which it asks once per group and version. */
export interface ResourcePaths {
  /**
   * The path of the object, or of its collection when the reference has no name.
   * @throws Error when the server does not serve the kind, or a namespace is missing.
   */
  of(ref: ObjectRef): Promise<string>;
  /** The path of the collection an object is created in. */
  collectionOf(ref: ObjectRef): Promise<string>;
}

export function createResourcePaths(http: HttpClient): ResourcePaths {
  const known = new Map<string, ReadonlyMap<string, Resource>>();

  const resourceOf = async ({ apiVersion, kind }: ObjectRef): Promise<Resource> => {
    const cached = known.get(apiVersion)?.get(kind);
    if (cached !== undefined) return cached;
    // Unknown kinds are asked for again: a test may have installed their definition just now.
    const served = byKind(await http.send<ResourceList>({ method: 'GET', path: groupPath(apiVersion) }));
    known.set(apiVersion, served);
    const resource = served.get(kind);
    if (resource === undefined) throw new Error(`the server serves no ${kind} in ${apiVersion}`);
    return resource;
  };

  const collectionOf = async (ref: ObjectRef): Promise<string> => {
    const { plural, namespaced } = await resourceOf(ref);
    const namespace = ref.metadata?.namespace;
    const scope = namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
    return `${groupPath(ref.apiVersion)}${scope}/${plural}`;
  };

  return {
    collectionOf,
    of: async (ref) => {
      const name = ref.metadata?.name;
      if (name === undefined) return collectionOf(ref);
      const { namespaced } = await resourceOf(ref);
      if (namespaced && ref.metadata?.namespace === undefined) {
        throw new Error(`${ref.kind} ${name} needs a metadata.namespace`);
      }
      return `${await collectionOf(ref)}/${name}`;
    },
  };
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** The part of meta/v1 APIResourceList that is used. */
interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

function byKind({ resources }: ResourceList): ReadonlyMap<string, Resource> {
  return new Map(
    resources
      // A name with a slash is a subresource, and may have another kind (pods/eviction).
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind, namespaced }) => [kind, { plural: name, namespaced }]),
  );
}
