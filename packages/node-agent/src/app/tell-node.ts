import type { EventRecord } from '@static-ip/kube';
import { REASONS } from '../api/reasons.ts';
import type { Reason } from '../api/reasons.ts';
import type { AgentDeps } from './agent-deps.ts';

/** Something to tell on our Node. */
export interface Told {
  readonly reason: Reason;
  /** UpperCamelCase verb: what was done or tried. */
  readonly action: string;
  readonly note: string;
}

/**
 * Records an Event on our Node, unless the reason is one that is not for people. The Node's uid is known from the CiliumNode
 * that it owns; before that its name stands in, as in the kubelet's own Events.
 */
export function tellNode(
  { events, options: { nodeName }, ciliumNodes }: Pick<AgentDeps, 'events' | 'options' | 'ciliumNodes'>,
  { reason, action, note }: Told,
): void {
  const type = REASONS[reason];
  if (type === 'none') return;
  const uid = ciliumNodes.store.get(nodeName)?.nodeUid ?? nodeName;
  const regarding: EventRecord['regarding'] = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid };
  events.record({ regarding, type, reason, action, note });
}
