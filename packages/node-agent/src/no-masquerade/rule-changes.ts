import { parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import type { Desired, PlanInput } from './desired-state.ts';
import { createDeletableTest, formatRule, isOurs, ruleKey } from './ip-rule.ts';
import type { IpRule } from './ip-rule.ts';
import { EGRESS_PRIORITY } from './names.ts';
import { createPeerRuleTest } from './peer-leftovers.ts';
import type { PodPaths } from './pod-path.ts';

/** Rules to add and to remove, by when. */
export interface RuleChanges {
  readonly added: readonly IpRule[];
  /** Ours or the predecessor's, of pods that have no rule any more. */
  readonly retired: readonly IpRule[];
  /** Of pods that get another rule instead, and the predecessor's that are of no pod. */
  readonly replaced: readonly IpRule[];
  /** Leftovers that stay: asked to delete them, the kernel would take another program's rule. */
  readonly ambiguous: readonly IpRule[];
}

/** Compares the rules that should be with those that are; only ours and the predecessor's are ever removed. */
export function diffRules(desired: Desired, { kernel, enis, inside }: PlanInput, paths: PodPaths): RuleChanges {
  const wanted = new Set(desired.rules.map(formatRule));
  const ours = kernel.rules.filter(isOurs);
  const found = new Set(ours.map(ruleKey));
  const isPeers = createPeerRuleTest(podNetworks({ enis, inside, paths }));
  const surplus = [...ours.filter((rule) => !wanted.has(ruleKey(rule))), ...kernel.rules.filter(isPeers)];
  const isDeletable = createDeletableTest(kernel.rules);
  const removed = surplus.filter(isDeletable);
  const stays = new Set(desired.rules.map(({ priority, from }) => `${priority} ${from}`));
  // Of the predecessor's, whatever its priority, the place is taken by our rule of that pod.
  const isReplaced = (rule: IpRule): boolean =>
    rule.from === undefined || stays.has(`${isOurs(rule) ? rule.priority : EGRESS_PRIORITY} ${rule.from}`);
  return {
    added: desired.rules.filter((rule) => !found.has(formatRule(rule))),
    retired: removed.filter((rule) => !isReplaced(rule)),
    replaced: removed.filter(isReplaced),
    ambiguous: surplus.filter((rule) => !isDeletable(rule)),
  };
}

/** Where a pod's address of this node can lie: in its interfaces' subnets, or, where those are not known, in the VPC. */
function podNetworks({
  enis,
  inside,
  paths,
}: Pick<PlanInput, 'enis' | 'inside'> & { paths: PodPaths }): readonly Cidr[] {
  const subnets = enis.flatMap(({ subnet }) => subnet ?? []);
  if (subnets.length > 0) return subnets;
  return [...inside, ...paths.insideNetworks.flatMap((text) => parseCidr(text) ?? [])];
}
