import { isRawObject, memberOf, stringOf } from '../json/shape.ts';
import { apiVersionOf } from '../objects/object.ts';
import type { ObjectRef, Resource } from '../objects/object.ts';
import type { Attempt } from './api-error.ts';
import type { Json, JsonObject, ListOptions, Patch } from './kube-client.ts';
import { objectPath } from './resource-path.ts';
import type { ApiRequest } from './transport.ts';

/** Content types of the patch kinds (https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply). */
const CONTENT_TYPE = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const satisfies Record<Patch['type'], string>;

type Query = NonNullable<ApiRequest['query']>;

/** What an attempt is about, as far as known. */
export interface Named {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** What is being done, for messages. */
export function attemptOf(verb: string, resource: Pick<Resource, 'plural'>, { name, namespace }: Named): Attempt {
  return {
    what: `${verb} ${resource.plural}`,
    fields: { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) },
  };
}

/** The name and namespace that an object to be created says it has. */
export function refOf(body: JsonObject): Named {
  const metadata = memberOf(body, 'metadata');
  return { name: stringOf(memberOf(metadata, 'name')), namespace: stringOf(memberOf(metadata, 'namespace')) };
}

/** The query of a list. */
export function listQuery({
  labelSelector,
  fieldSelector,
  limit,
  continue: token,
  resourceVersion,
}: ListOptions): Query {
  return { labelSelector, fieldSelector, limit: limit?.toString(), continue: token, resourceVersion };
}

/** The request of a patch, its content type pinned by its kind. */
export function patchRequest(resource: Resource, ref: ObjectRef, patch: Patch): ApiRequest {
  const path = objectPath(resource, ref, patch.subresource);
  const force = patch.type === 'apply' && patch.force === true ? 'true' : undefined;
  const body: Json = patch.type === 'apply' ? applied(resource, ref, patch.body) : patch.body;
  return {
    method: 'PATCH',
    path,
    query: { fieldManager: patch.fieldManager, force },
    contentType: CONTENT_TYPE[patch.type],
    body: JSON.stringify(body),
    attempt: attemptOf('patching', { plural: [resource.plural, patch.subresource].filter(Boolean).join('/') }, ref),
  };
}

/** Server-side apply wants the object to say what it is. JSON is YAML. */
function applied(resource: Resource, { name, namespace }: ObjectRef, body: JsonObject): JsonObject {
  const given = body['metadata'];
  const metadata = isJsonObject(given) ? given : {};
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    ...body,
    metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) },
  };
}

function isJsonObject(value: Json | undefined): value is JsonObject {
  return isRawObject(value);
}
