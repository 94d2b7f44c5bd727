import { apiVersionOf } from '@static-ip/kube';
import type { EventRecorder, KubeObject, Regarding, Resource } from '@static-ip/kube';
import { CILIUM_NODES } from '../../api/cilium-node.ts';
import type { CiliumNode } from '../../api/cilium-node.ts';
import { NODES } from '../../api/node.ts';
import type { Node } from '../../api/node.ts';
import type { Announcement } from '../claims/announcements.ts';

interface Subjects {
  readonly ciliumNode: CiliumNode;
  readonly node: Node | undefined;
}

/** Tells it on both objects: users look at the Node first, and the tags are on the CiliumNode. */
export function recordOn(
  events: Pick<EventRecorder, 'record'>,
  { ciliumNode, node }: Subjects,
  { type, reason, message }: Announcement,
): void {
  const about = { type, reason, action: 'AssignStaticAddress', note: message } as const;
  events.record({ ...about, regarding: regarding(CILIUM_NODES, ciliumNode) });
  if (node !== undefined) events.record({ ...about, regarding: regarding(NODES, node) });
}

function regarding(resource: Pick<Resource, 'group' | 'version' | 'kind'>, { metadata }: KubeObject): Regarding {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name: metadata.name, uid: metadata.uid };
}
