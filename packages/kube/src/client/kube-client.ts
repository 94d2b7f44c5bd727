import type { KubeObject, ObjectRef, Resource } from '../objects/object.ts';

/** JSON as sent and received. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; an undefined member is not sent. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** What a list or watch covers. Without a namespace: all of them. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends Selection {
  /** Objects per page; the server may send fewer. */
  readonly limit?: number | undefined;
  /** The token of the page before. */
  readonly continue?: string | undefined;
  /** '0' allows the server's watch cache to answer; unset is a consistent read. */
  readonly resourceVersion?: string | undefined;
}

/** An object that its resource's `parse` refused. */
export interface RejectedObject {
  readonly key: string;
  readonly error: unknown;
}

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly rejected: readonly RejectedObject[];
  /** The version of the whole list: where a watch starts. */
  readonly resourceVersion: string;
  /** Unset on the last page. */
  readonly continue?: string | undefined;
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string;
  /** After so many seconds the server ends the stream. */
  readonly timeoutSeconds: number;
  readonly allowBookmarks: boolean;
  /** Called for every piece of bytes that arrives: the stream is alive. */
  readonly onBytes?: (() => void) | undefined;
}

/** One line of a watch. An ERROR line is thrown as a KubeError instead. */
export type WatchEvent<T> =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: T; readonly resourceVersion: string }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  /** The object's `parse` failed. `removed` says whether the line was a DELETED one. */
  | {
      readonly type: 'rejected';
      readonly key: string;
      readonly removed: boolean;
      readonly error: unknown;
      readonly resourceVersion: string;
    };

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };

interface PatchTarget {
  /** E.g. 'status'. */
  readonly subresource?: string | undefined;
  /** Default: the client's own. */
  readonly fieldManager?: string | undefined;
  /** Does not wait behind other writes: for a Lease, which must be renewed also under load. */
  readonly urgent?: boolean | undefined;
}

/** A change of part of an object. Each type has its own content type, which the client pins. */
export type Patch =
  | (PatchTarget & { readonly type: 'merge'; readonly body: JsonObject })
  | (PatchTarget & { readonly type: 'strategic'; readonly body: JsonObject })
  | (PatchTarget & { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] })
  /** Server-side apply; creates the object when it does not exist. */
  | (PatchTarget & { readonly type: 'apply'; readonly body: JsonObject; readonly force?: boolean | undefined });

export interface DeleteOptions {
  /** Delete only the object with this uid: another one under the same name is a `conflict`. */
  readonly uid?: string | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
}

/**
 * The Kubernetes API as a port. Every call has a deadline, and every failure is a KubeError, except an aborted signal:
 * then the call throws the signal's reason.
 */
export interface KubeClient {
  /** One page of objects. An object that cannot be parsed is in `rejected`; a failure is never an empty page. */
  list<T extends KubeObject>(resource: Resource<T>, options: ListOptions, signal: AbortSignal): Promise<ListPage<T>>;
  /**
   * The changes after a version, until the server ends the stream.
   * Leaving the loop or aborting the signal closes the connection.
   * @throws KubeError `gone` for both forms of 410; `protocol` for a line that is not JSON; `unavailable` for a cut stream.
   */
  watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>>;
  /** @throws KubeError `notFound` when there is no such object. */
  get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, signal: AbortSignal): Promise<T>;
  /**
   * Creates an object; `apiVersion` and `kind` are filled in from the resource.
   * @throws KubeError `alreadyExists`.
   */
  create<T extends KubeObject>(resource: Resource<T>, body: JsonObject, signal: AbortSignal): Promise<T>;
  /** @throws KubeError `conflict` for a wrong resourceVersion; `invalid` also for a failed `test` operation. */
  patch<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, patch: Patch, signal: AbortSignal): Promise<T>;
  /** Asks for deletion; finalizers may delay it. @throws KubeError `notFound` when there is no such object. */
  delete(resource: Resource, ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<void>;
  /** Whether the server serves this resource now (a CRD may come and go). */
  isServed(resource: Resource, signal: AbortSignal): Promise<boolean>;
  /** Closes all connections; calls under way fail. */
  close(): Promise<void>;
}
