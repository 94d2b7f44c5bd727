import type { Patch } from '../client/kube-client.ts';
import type { KubeObject } from '../objects/object.ts';

/** A JSON patch that adds `finalizer`, touching no other; unset when it is there already. */
export function addFinalizerPatch(object: KubeObject, finalizer: string): Patch | undefined {
  throw new Error(`not implemented ${object.metadata.name} ${finalizer}`);
}

/**
 * A JSON patch that removes exactly `finalizer`, touching no other; unset when it is not there. Its `test` operation
 * makes the server refuse it (`invalid`) when the list has changed meanwhile: read again and repeat.
 */
export function removeFinalizerPatch(object: KubeObject, finalizer: string): Patch | undefined {
  throw new Error(`not implemented ${object.metadata.name} ${finalizer}`);
}
