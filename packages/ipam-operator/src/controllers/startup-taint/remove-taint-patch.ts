import type { JsonPatchOperation, Patch } from '@static-ip/kube';
import type { Node } from '../../api/node.ts';

/**
 * A JSON patch that takes every taint with this key off the node, whatever its effect, and touches no other; undefined when
 * there is none. The server refuses it (`invalid`) when the node is another one by now, or its list of taints has changed
 * so that another is in that place: read again and repeat.
 */
export function removeTaintPatch({ metadata, taints = [] }: Node, key: string): Patch | undefined {
  const places = taints.flatMap((taint, index) => (taint.key === key ? [index] : []));
  if (places.length === 0) return undefined;
  // From the end, so that a removal moves none of those that follow.
  const removals = places.toReversed().flatMap((index): JsonPatchOperation[] => [
    { op: 'test', path: `/spec/taints/${index}/key`, value: key },
    { op: 'remove', path: `/spec/taints/${index}` },
  ]);
  return { type: 'json', body: [{ op: 'test', path: '/metadata/uid', value: metadata.uid }, ...removals] };
}
