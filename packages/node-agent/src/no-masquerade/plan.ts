import { sortAddresses, joinCidrs, parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import { desire, judgePods } from './desired-state.ts';
import type { Desired, Found, PlanInput, PodVerdict } from './desired-state.ts';
import type { IpRule } from './ip-rule.ts';
import type { OwnTable, PeerMarks } from './kernel-state.ts';
import { EGRESS_PRIORITY, LINK_LOCAL } from './names.ts';
import { changePods, deleteTable, desiredShape, replaceTable } from './own-table.ts';
import type { DesiredTable, NftObject } from './own-table.ts';
import { readPodPaths } from './pod-path.ts';
import type { UnknownReason } from './pod-path.ts';
import { diffRules } from './rule-changes.ts';
import type { RuleChanges } from './rule-changes.ts';

export type { Masquerade, PlanInput, PodVerdict, Surroundings } from './desired-state.ts';

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
 * - `active`: pods keep their source address, or will once Cilium has made their rules (see `waiting`).
 * - `idle`: no pod of this node holds an address.
 * - `notNeeded`: nobody masquerades, and every pod leaves by its own interface as it is.
 * - `impossible`: Cilium masquerades in BPF, behind the back of the host's rules.
 */
export type State = 'active' | 'idle' | 'notNeeded' | 'impossible';

export interface Plan {
  readonly state: State;
  readonly steps: readonly Step[];
  readonly pods: readonly PodVerdict[];
  /** Leftovers that stay: asked to delete them, the kernel would take another program's rule. */
  readonly ambiguous: readonly IpRule[];
  /** Pods that cannot be helped now, by why. */
  readonly waiting: readonly { readonly ip: string; readonly reason: UnknownReason }[];
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
  return {
    state: stateOf(input, desired, verdicts),
    steps: stepsTo(desired, input, { paths, inside, ...changes }),
    ambiguous: changes.ambiguous,
    pods: verdicts,
    waiting: verdicts.flatMap(({ ip, path }) => (path.kind === 'unknown' ? [{ ip, reason: path.reason }] : [])),
  };
}

function stateOf(input: PlanInput, { table, rules }: Desired, verdicts: readonly PodVerdict[]): State {
  if (input.masquerade === 'bpf') return 'impossible';
  const waits = verdicts.some(({ path }) => path.kind === 'unknown');
  if (table !== undefined || rules.length > 0 || waits) return 'active';
  return verdicts.length > 0 ? 'notNeeded' : 'idle';
}

/**
 * Exemption before rules when something is added: a packet sent in between is lost, not bound to a wrong address for as long
 * as its connection lives. The reverse when something is removed. Connections after that.
 */
function stepsTo(desired: Desired, input: PlanInput, rules: Found & RuleChanges): readonly Step[] {
  const { kernel } = input;
  const nft = nftCommands(desired.table, kernel.table);
  const steps: readonly Step[] = [
    { kind: 'ipRules', add: [], remove: rules.retired },
    { kind: 'nft', commands: nft },
    // A rule that takes another's place comes before that goes: there is no moment without one.
    { kind: 'ipRules', add: rules.added, remove: rules.replaced },
    flowStep(desired, input, rules),
    // Last: without the capability NET_RAW, or a place for its lock, iptables-legacy may refuse.
    ...kernel.peerMarks.map((marks) => ({ kind: 'peerMarks' as const, marks })),
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

function nftCommands(desired: DesiredTable | undefined, found: OwnTable | undefined): readonly NftObject[] {
  if (desired === undefined) return found === undefined ? [] : deleteTable();
  return found?.shape === desiredShape(desired) ? changePods(desired, found) : replaceTable(desired);
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
      to: sortAddresses(
        kernel.addresses
          .filter(({ interfaceIndex }) => paths.cloudInterfaces.has(interfaceIndex))
          .map(({ address }) => address),
      ),
    },
    bound: sortAddresses(gone),
    inside,
  };
}

/** Pods that these rules lead out by their own interface. */
function podsOf(rules: readonly IpRule[]): readonly string[] {
  return rules.flatMap(({ from, priority, mark }) =>
    from === undefined || priority !== EGRESS_PRIORITY || mark !== undefined ? [] : [from.slice(0, -'/32'.length)],
  );
}
