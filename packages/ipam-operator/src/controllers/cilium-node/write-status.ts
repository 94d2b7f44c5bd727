import { isKubeError } from '@static-ip/kube';
import type { KubeClient } from '@static-ip/kube';
import { CILIUM_NODES } from '../../api/cilium-node.ts';
import type { CiliumNode } from '../../api/cilium-node.ts';
import type { StatusChange } from '../../core/plan.ts';

interface Write {
  readonly current: CiliumNode;
  readonly change: StatusChange;
}

/**
 * Writes `status.ipam.assigned-static-ip`, that one key and nothing else, and only when it differs: Cilium's agent and
 * operator write other parts of the same status. No resourceVersion, since nobody else owns the key.
 * Returns whether something was written. An object that is gone by now needs no status.
 * @throws KubeError
 */
export async function writeAssignedIp(
  client: Pick<KubeClient, 'patch'>,
  { current, change }: Write,
  signal: AbortSignal,
): Promise<boolean> {
  if (change.kind === 'keep') return false;
  const wanted = change.kind === 'set' ? change.ip : undefined;
  if (wanted === current.assignedStaticIp) return false;
  try {
    await client.patch(
      CILIUM_NODES,
      { name: current.metadata.name },
      { type: 'merge', subresource: 'status', body: { status: { ipam: { 'assigned-static-ip': wanted ?? null } } } },
      signal,
    );
    return true;
  } catch (error) {
    if (isKubeError(error, 'notFound')) return false;
    throw error;
  }
}
