/** The metadata fields this system reads. Times are RFC 3339 text as the server sent them. */
export interface KubeMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly OwnerReference[];
}

/** Who owns an object; garbage collection follows it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Any object of the API as this system sees it: read-only, and validated by its resource's `parse`. */
export interface KubeObject {
  readonly metadata: KubeMetadata;
}

/** Names one object within its resource. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/**
 * One kind of object: where the API serves it, and how its JSON is checked.
 * `group` is '' for the core group.
 */
export interface Resource<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /**
   * Turns an object of the API's JSON into T. What it does not know it may keep or drop.
   * @throws any error when a field has the wrong shape; the object is then reported and skipped, the others go on.
   */
  readonly parse: (raw: unknown) => T;
}

/** The key of an object in stores and queues: `namespace/name`, or `name` for a cluster-scoped one. */
export function objectKey({ name, namespace }: ObjectRef): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The inverse of `objectKey`. */
export function parseObjectKey(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** `group/version`, or `version` for the core group, as objects carry it. */
export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
