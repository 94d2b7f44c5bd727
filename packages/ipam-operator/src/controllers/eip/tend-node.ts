import type { ReadonlyStore } from '@static-ip/kube';
import type { Eip } from '../../api/eip.ts';
import { FINALIZER, LABEL } from '../../api/names.ts';
import { NODES } from '../../api/node.ts';
import type { Node } from '../../api/node.ts';
import { egressStatus } from './egress-label.ts';
import type { EipWriter } from './eip-writer.ts';

export interface TendNodeDeps {
  readonly nodes: ReadonlyStore<Node>;
  readonly eips: ReadonlyStore<Eip>;
  readonly writer: Pick<EipWriter, 'label' | 'removeFinalizer'>;
}

/**
 * Keeps the label of egress gateways, and lets a node go that the predecessor held: a cloud that does not answer must not
 * keep an autoscaler from removing it, and a terminated instance gives its address back by itself. @throws KubeError
 */
export async function tendNode(
  name: string,
  { nodes, eips, writer }: TendNodeDeps,
  signal: AbortSignal,
): Promise<void> {
  const node = nodes.get(name);
  if (node === undefined) return;
  if (node.metadata.deletionTimestamp !== undefined) {
    await writer.removeFinalizer({ resource: NODES, object: node, finalizer: FINALIZER.node }, signal);
    return;
  }
  const value = egressStatus(node, { eips: eips.list(), nodeOf: (other) => nodes.get(other) });
  if (value === undefined || node.metadata.labels[LABEL.egressGatewayReady] === value) return;
  await writer.label(NODES, { name }, { name: LABEL.egressGatewayReady, value, signal });
}
