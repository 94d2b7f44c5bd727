import { validateTags } from '@static-ip/cni-config';
import type { CiliumNode } from '../../api/cilium-node.ts';
import type { Node } from '../../api/node.ts';
import type { Authority, Claim, Refusal, Wanted } from '../../core/claim.ts';
import { parseProviderId } from '../../core/provider-id.ts';

/** The first part of the claims' keys, and the word for this flow in `--sources`. */
export const CILIUM_NODE_SOURCE = 'cilium-node';

/** How the operator treats CiliumNodes. */
export interface CiliumNodeRules {
  /** `auto`: act unless the status shows that Cilium's own operator serves the node. */
  readonly mode: 'auto' | 'act' | 'observe';
  /** Tags that every request must have with exactly these values. */
  readonly requiredTags: Readonly<Record<string, string>>;
  readonly removedTagsGraceMs: number;
}

/** The claim a CiliumNode makes, with what its Node knows of the instance. Pure. */
export function ciliumNodeClaim(ciliumNode: CiliumNode, node: Node | undefined, rules: CiliumNodeRules): Claim {
  const { metadata, assignedStaticIp } = ciliumNode;
  return {
    key: `${CILIUM_NODE_SOURCE}/${metadata.name}`,
    uid: metadata.uid,
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    wanted: wantedBy(ciliumNode, rules),
    ...placeOf(ciliumNode, node),
    assignedIp: assignedStaticIp,
    authority: authorityOver(ciliumNode, rules),
  };
}

function wantedBy({ staticIpTags = {} }: CiliumNode, rules: CiliumNodeRules): Wanted {
  if (Object.keys(staticIpTags).length === 0) return { kind: 'nothing', graceMs: rules.removedTagsGraceMs };
  const [problem] = validateTags(staticIpTags, { use: 'select' });
  if (problem !== undefined) return refused({ reason: 'TagsInvalid', message: `static-ip-tags: ${problem.message}` });
  const missing = Object.entries(rules.requiredTags).find(([key, value]) => staticIpTags[key] !== value);
  if (missing === undefined) return { kind: 'select', selection: { by: 'tags', tags: staticIpTags } };
  const [key, value] = missing;
  return refused({
    reason: 'TagNotAllowed',
    message: `static-ip-tags must have ${key}=${value}: this operator serves no other pool`,
  });
}

function refused(refusal: Refusal): Wanted {
  return { kind: 'refused', refusal };
}

/** Cilium's own word comes first; it is empty outside its cloud modes, and then the Node's counts. */
function placeOf({ instanceId, metadata }: CiliumNode, node: Node | undefined): Pick<Claim, 'target' | 'unplaced'> {
  if (instanceId !== undefined) return { target: { kind: 'instance', instanceId } };
  const identity = parseProviderId(node?.providerId);
  switch (identity.kind) {
    case 'instance':
      return { target: { kind: 'instance', instanceId: identity.instanceId } };
    case 'invalid':
      return { unplaced: { reason: 'ProviderIdInvalid', message: identity.problem } };
    case 'unknown':
      return {
        unplaced: {
          reason: 'InstanceUnknown',
          message: `Neither spec.instance-id nor the provider id of Node ${metadata.name} is set yet`,
        },
      };
  }
}

function authorityOver({ servedByCilium }: CiliumNode, { mode }: CiliumNodeRules): Authority {
  if (mode === 'act' || (mode === 'auto' && servedByCilium === undefined)) return { kind: 'act' };
  const message =
    servedByCilium === undefined
      ? 'Observed only, as --cilium-nodes says'
      : `Observed only: status.${servedByCilium} shows that Cilium's own operator serves this node`;
  return { kind: 'observe', message };
}
