import type { KubeClient } from '@static-ip/kube';
import { CONDITION, FIELD_MANAGER } from '../../api/names.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import { orGone } from '../or-gone.ts';

/** A pod, and whether the cloud has confirmed its address. */
export interface PodAndAddress {
  readonly pod: Pod;
  readonly hasAddress: boolean;
}

/** Opens and closes the readiness gate of a pod that has one. @throws KubeError */
export async function tendPodGate(
  { pod, hasAddress }: PodAndAddress,
  client: Pick<KubeClient, 'patch'>,
  signal: AbortSignal,
): Promise<void> {
  if (!pod.readinessGates.includes(CONDITION.podReady)) return;
  const status = hasAddress ? 'True' : 'False';
  const before = pod.conditions.find(({ type }) => type === CONDITION.podReady);
  if (before?.status === status) return;
  const { name, namespace, uid } = pod.metadata;
  const reason = hasAddress ? 'AddressAssigned' : 'AddressMissing';
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid },
    status: { conditions: [{ type: CONDITION.podReady, status, reason }] },
  };
  const patch = { type: 'apply', subresource: 'status', fieldManager: FIELD_MANAGER.own, force: true, body } as const;
  await orGone(client.patch(PODS, { name, namespace }, patch, signal));
}
