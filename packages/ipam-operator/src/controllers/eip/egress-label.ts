import type { Eip } from '../../api/eip.ts';
import { LABEL } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import { selectsNode } from './choose-node.ts';

/** What the label of egress gateways on a node shall say. */
export type EgressStatus = 'true' | 'false';

interface NodeEips {
  /** All Eips; those that do not select nodes do not matter. */
  readonly eips: readonly Eip[];
  readonly nodeOf: (name: string) => Node | undefined;
}

/**
 * Says what the node's label shall be; undefined: leave it as it is. Pure. A node with the confirmed address of an Eip is
 * raised. Another one that the Eip selects is lowered once the holder is seen to be raised: in between traffic has two
 * ways, never none; and while nobody has the address nothing changes.
 */
export function egressStatus(node: Node, { eips, nodeOf }: NodeEips): EgressStatus | undefined {
  const holders = eips.map((eip) => confirmedHolder(eip));
  if (holders.includes(node.metadata.name)) return 'true';
  const selecting = eips.flatMap(({ selector }, index) =>
    selector.kind === 'node' && selectsNode(selector.labels, node) ? [holders[index]] : [],
  );
  if (selecting.length === 0) return labelOf(node) === 'true' ? 'false' : undefined;
  const isServed = selecting.some((holder) => holder !== undefined && labelOf(nodeOf(holder)) === 'true');
  return isServed ? 'false' : undefined;
}

function confirmedHolder({ selector, status }: Eip): string | undefined {
  return selector.kind === 'node' && status.associationId !== undefined ? status.resourceId : undefined;
}

function labelOf(node: Node | undefined): string | undefined {
  return node?.metadata.labels[LABEL.egressGatewayReady];
}
