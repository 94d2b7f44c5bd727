import type { JsonPatchOperation, Patch } from '../client/kube-client.ts';
import type { KubeObject } from '../objects/object.ts';

/**
 * A JSON patch that adds `finalizer`, touching no other; unset when it is there already. The server refuses it
 * (`invalid`) when the object is another one by now, or its list of finalizers has changed: read again and repeat.
 */
export function addFinalizerPatch({ metadata }: KubeObject, finalizer: string): Patch | undefined {
  const { finalizers, uid } = metadata;
  if (finalizers.includes(finalizer)) return undefined;
  const body: readonly JsonPatchOperation[] =
    finalizers.length === 0
      ? // RFC 6902 has no "add unless present": the test on null stops us from replacing a list that has just appeared.
        [
          { op: 'test', path: '/metadata/finalizers', value: null },
          { op: 'add', path: '/metadata/finalizers', value: [finalizer] },
        ]
      : [
          { op: 'test', path: '/metadata/finalizers', value: finalizers },
          { op: 'add', path: '/metadata/finalizers/-', value: finalizer },
        ];
  return { type: 'json', body: [sameObject(uid), ...body] };
}

/**
 * A JSON patch that removes exactly `finalizer`, touching no other; unset when it is not there. Its `test` operation
 * makes the server refuse it (`invalid`) when the list has changed meanwhile: read again and repeat.
 */
export function removeFinalizerPatch({ metadata }: KubeObject, finalizer: string): Patch | undefined {
  const index = metadata.finalizers.indexOf(finalizer);
  if (index < 0) return undefined;
  const path = `/metadata/finalizers/${index}`;
  return {
    type: 'json',
    body: [sameObject(metadata.uid), { op: 'test', path, value: finalizer }, { op: 'remove', path }],
  };
}

/** A reborn object of the same name is somebody else's. */
function sameObject(uid: string): JsonPatchOperation {
  return { op: 'test', path: '/metadata/uid', value: uid };
}
