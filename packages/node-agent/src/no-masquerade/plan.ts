import { byAddress, joinCidrs, parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import type { Eni } from './eni.ts';
import { formatRule, isDeletable, isOurs, ruleKey } from './ip-rule.ts';
import type { IpRule } from './ip-rule.ts';
import type { KernelState, PeerMarks } from './kernel-state.ts';
import {
  EGRESS_PRIORITY,
  LINK_LOCAL,
  LINK_LOCAL_PRIORITY,
  MAIN_TABLE,
  REPLY_MARK,
  REPLY_PRIORITY,
  RULE_PROTOCOL,
} from './names.ts';
import { changePods, deleteTable, desiredShape, replaceTable } from './own-table.ts';
import type { DesiredTable, NftObject } from './own-table.ts';
import { createPeerRuleTest } from './peer-leftovers.ts';
import { readPodPaths } from './pod-path.ts';
import type { PodPath, PodPaths, UnknownReason } from './pod-path.ts';

/** Who masquerades pods: iptables, Cilium's BPF programs, or nobody. */
export type Masquerade = 'iptables' | 'bpf' | 'off';

/** What the node's traffic is subject to, beside the kernel's state. */
export interface Surroundings {
  readonly masquerade: Masquerade;
  /** The VPC's and native routing networks. */
  readonly inside: readonly Cidr[];
  readonly enis: readonly Eni[];
}

export interface PlanInput extends Surroundings {
  /** IPv4 addresses of this node's pods that hold a public address. */
  readonly pods: readonly string[];
  readonly kernel: KernelState;
  /** Also lead replies of pods without an address of their own by the interface that the request came in by. */
  readonly nodeWide: boolean;
  /** How this version of nft lists the table that was written as `desired`, where that is not the same text. */
  readonly knownShape?: { readonly desired: string; readonly listed: string } | undefined;
  /** Look also for connections that an earlier run, killed halfway, has left masqueraded. */
  readonly recheckFlows?: boolean | undefined;
}

/** One thing to do; those of a plan in this order. */
export type Step =
  | { readonly kind: 'ipRules'; readonly add: readonly IpRule[]; readonly remove: readonly IpRule[] }
  | { readonly kind: 'nft'; readonly commands: readonly NftObject[] }
  | { readonly kind: 'peerMarks'; readonly marks: PeerMarks }
  | FlowStep;

/** Connections that go on as the rules before were, and should not. */
export interface FlowStep {
  readonly kind: 'flows';
  /** Pods that now keep their address: what is masqueraded to an address of these interfaces. */
  readonly masqueraded: { readonly pods: readonly string[]; readonly to: readonly string[] };
  /** Pods that no longer do: what is bound to their own address and goes outside of `inside`. */
  readonly bound: readonly string[];
  readonly inside: readonly Cidr[];
}

/**
 * - `active`: pods keep their source address.
 * - `idle`: no pod of this node holds an address.
 * - `notNeeded`: nobody masquerades, and every pod leaves by its own interface as it is.
 * - `impossible`: Cilium masquerades in BPF, behind the back of the host's rules.
 */
export type State = 'active' | 'idle' | 'notNeeded' | 'impossible';

export interface PodVerdict {
  readonly ip: string;
  readonly path: PodPath;
  /** Whether nftables keeps its source address. */
  readonly kept: boolean;
}

export interface Plan {
  readonly state: State;
  readonly steps: readonly Step[];
  /** What our table is after the steps; unset: there is none. */
  readonly table: DesiredTable | undefined;
  /** Whether the steps write the table anew. */
  readonly replacesTable: boolean;
  readonly pods: readonly PodVerdict[];
  /** Leftovers that stay: asked to delete them, the kernel would take another program's rule. */
  readonly ambiguous: readonly IpRule[];
  /** Pods that cannot be helped now, by why. */
  readonly waiting: readonly { readonly ip: string; readonly reason: UnknownReason }[];
}

/** What the kernel should hold. */
interface Desired {
  readonly table: DesiredTable | undefined;
  readonly rules: readonly IpRule[];
}

/**
 * What to change so that each pod keeps its source address on its way out; pure. The same input gives the same plan, and
 * after its steps the plan is empty. Removes whatever is ours, or the predecessor's, and not needed. Touches nothing else.
 */
export function planNoMasquerade(input: PlanInput): Plan {
  const paths = readPodPaths(input.kernel, input.enis);
  const inside = joinCidrs([
    ...input.inside,
    ...[...paths.insideNetworks, LINK_LOCAL].flatMap((text) => parseCidr(text) ?? []),
  ]);
  const verdicts = input.masquerade === 'bpf' ? [] : judgePods(input, paths);
  const desired = desire(input, { paths, inside, verdicts });
  const changes = diffRules(desired, input, paths);
  const replacesTable = desired.table !== undefined && !isRightTable(desired.table, input);
  return {
    state: stateOf(input, desired),
    steps: stepsTo(desired, input, { paths, inside, ...changes }),
    table: desired.table,
    replacesTable,
    ambiguous: changes.ambiguous,
    pods: verdicts,
    waiting: verdicts.flatMap(({ ip, path }) => (path.kind === 'unknown' ? [{ ip, reason: path.reason }] : [])),
  };
}

function judgePods({ pods, masquerade }: PlanInput, paths: PodPaths): readonly PodVerdict[] {
  return [...new Set(pods)].toSorted(byAddress).map((ip) => {
    const path = paths.of(ip);
    // A pod whose way is not known would lose the internet: it stays as it is.
    return { ip, path, kept: masquerade === 'iptables' && path.kind !== 'unknown' };
  });
}

interface Found {
  readonly paths: PodPaths;
  readonly inside: readonly Cidr[];
}

function desire(input: PlanInput, { paths, inside, verdicts }: Found & { verdicts: readonly PodVerdict[] }): Desired {
  const marked = input.nodeWide && input.masquerade !== 'bpf' ? markRules(paths) : [];
  const kept = verdicts.filter(({ kept: one }) => one).map(({ ip }) => ip);
  const table = { pods: kept, inside, markReplies: marked.length > 0 };
  const rules = [
    ...verdicts.flatMap(({ ip, path }) => (path.kind === 'strayed' ? podRules(ip, path.table) : [])),
    ...marked,
  ];
  return { table: kept.length > 0 || marked.length > 0 ? table : undefined, rules };
}

function podRules(ip: string, table: number): readonly IpRule[] {
  const from = `${ip}/32`;
  return [
    { priority: LINK_LOCAL_PRIORITY, from, to: LINK_LOCAL, table: MAIN_TABLE, protocol: RULE_PROTOCOL },
    { priority: EGRESS_PRIORITY, from, table, protocol: RULE_PROTOCOL },
  ];
}

/** `from POD fwmark 0x2000/0x2000 lookup T` for every pod that would answer by the wrong interface. */
function markRules(paths: PodPaths): readonly IpRule[] {
  const mark = { value: REPLY_MARK, mask: REPLY_MARK };
  return paths.ciliumPods.toSorted(byAddress).flatMap((ip) => {
    const path = paths.of(ip);
    if (path.kind !== 'strayed') return [];
    return [{ priority: REPLY_PRIORITY, from: `${ip}/32`, mark, table: path.table, protocol: RULE_PROTOCOL }];
  });
}

function stateOf(input: PlanInput, { table, rules }: Desired): State {
  if (input.masquerade === 'bpf') return 'impossible';
  if (table !== undefined || rules.length > 0) return 'active';
  return input.masquerade === 'off' && input.pods.length > 0 ? 'notNeeded' : 'idle';
}

/**
 * Exemption before rules when something is added: a packet sent in between is lost, not bound to a wrong address for as long
 * as its connection lives. The reverse when something is removed. Connections last.
 */
function stepsTo(desired: Desired, input: PlanInput, rules: Found & RuleChanges): readonly Step[] {
  const { kernel } = input;
  const nft = nftCommands(desired.table, input);
  const steps: readonly Step[] = [
    { kind: 'ipRules', add: [], remove: rules.retired },
    { kind: 'nft', commands: nft },
    // A rule that takes another's place comes before that goes: there is no moment without one.
    { kind: 'ipRules', add: rules.added, remove: rules.replaced },
    ...kernel.peerMarks.map((marks) => ({ kind: 'peerMarks' as const, marks })),
    flowStep(desired, input, rules),
  ];
  return steps.filter((step) => !isEmpty(step));
}

function isEmpty(step: Step): boolean {
  switch (step.kind) {
    case 'ipRules':
      return step.add.length === 0 && step.remove.length === 0;
    case 'nft':
      return step.commands.length === 0;
    case 'peerMarks':
      return step.marks.lines.length === 0;
    default:
      return step.masqueraded.pods.length === 0 && step.bound.length === 0;
  }
}

interface RuleChanges {
  readonly added: readonly IpRule[];
  /** Ours or the predecessor's, of pods that have no rule any more. */
  readonly retired: readonly IpRule[];
  /** Of pods that get another rule instead, and the predecessor's that are of no pod. */
  readonly replaced: readonly IpRule[];
  readonly ambiguous: readonly IpRule[];
}

function diffRules(desired: Desired, { kernel, enis, inside }: PlanInput, paths: PodPaths): RuleChanges {
  const wanted = new Set(desired.rules.map(formatRule));
  const found = new Set(kernel.rules.map(ruleKey));
  const isPeers = createPeerRuleTest(podNetworks({ enis, inside, paths }));
  const surplus = kernel.rules.filter((rule) => (isOurs(rule) && !wanted.has(ruleKey(rule))) || isPeers(rule));
  const removed = surplus.filter((rule) => isDeletable(rule, kernel.rules));
  const stays = new Set(desired.rules.map(({ from }) => from));
  return {
    added: desired.rules.filter((rule) => !found.has(formatRule(rule))),
    retired: removed.filter(({ from }) => from !== undefined && !stays.has(from)),
    replaced: removed.filter(({ from }) => from === undefined || stays.has(from)),
    ambiguous: surplus.filter((rule) => !removed.includes(rule)),
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

function nftCommands(desired: DesiredTable | undefined, input: PlanInput): readonly NftObject[] {
  const found = input.kernel.table;
  if (desired === undefined) return found === undefined ? [] : deleteTable();
  return found !== undefined && isRightTable(desired, input) ? changePods(desired, found) : replaceTable(desired);
}

function isRightTable(desired: DesiredTable, { kernel, knownShape }: PlanInput): boolean {
  const found = kernel.table?.shape;
  const shape = desiredShape(desired);
  return found === shape || (knownShape?.desired === shape && knownShape.listed === found);
}

function flowStep(
  { table }: Desired,
  { kernel, recheckFlows = false }: PlanInput,
  { paths, inside, added, retired }: Found & RuleChanges,
): FlowStep {
  const before = kernel.table?.pods ?? new Set<string>();
  const kept = table?.pods ?? [];
  const keptNow = new Set(kept);
  const routed = new Set(podsOf(added));
  const gone = [...before, ...podsOf(retired)].filter((ip) => !keptNow.has(ip));
  return {
    kind: 'flows',
    masqueraded: {
      pods: kept.filter((ip) => recheckFlows || !before.has(ip) || routed.has(ip)),
      to: kernel.addresses
        .filter(({ interfaceIndex }) => paths.cloudInterfaces.has(interfaceIndex))
        .map(({ address }) => address)
        .toSorted(byAddress),
    },
    bound: [...new Set(gone)].toSorted(byAddress),
    inside,
  };
}

/** Pods that these rules lead out by their own interface. */
function podsOf(rules: readonly IpRule[]): readonly string[] {
  return rules.flatMap(({ from, priority, mark }) =>
    from === undefined || priority !== EGRESS_PRIORITY || mark !== undefined ? [] : [from.slice(0, -'/32'.length)],
  );
}
