import { sortAddresses } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import type { Eni } from './eni.ts';
import type { IpRule } from './ip-rule.ts';
import type { KernelState } from './kernel-state.ts';
import {
  EGRESS_PRIORITY,
  LINK_LOCAL,
  LINK_LOCAL_PRIORITY,
  MAIN_TABLE,
  REPLY_MARK,
  REPLY_PRIORITY,
  RULE_PROTOCOL,
} from './names.ts';
import type { DesiredTable } from './own-table.ts';
import type { PodPath, PodPaths } from './pod-path.ts';

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
  /** Look also for connections that an earlier run, killed halfway, has left masqueraded. */
  readonly recheckFlows?: boolean | undefined;
}

export interface PodVerdict {
  readonly ip: string;
  readonly path: PodPath;
  /** Whether nftables keeps its source address. */
  readonly kept: boolean;
}

/** What was made out of the kernel's state. */
export interface Found {
  readonly paths: PodPaths;
  readonly inside: readonly Cidr[];
}

/** What the kernel should hold. */
export interface Desired {
  readonly table: DesiredTable | undefined;
  readonly rules: readonly IpRule[];
}

/** What becomes of each pod, sorted. */
export function judgePods({ pods, masquerade }: PlanInput, paths: PodPaths): readonly PodVerdict[] {
  return sortAddresses(pods).map((ip) => {
    const path = paths.of(ip);
    // A pod whose way is not known would lose the internet: it stays as it is.
    return { ip, path, kept: masquerade === 'iptables' && path.kind !== 'unknown' };
  });
}

/** Rules and table for these verdicts. */
export function desire(
  { nodeWide, masquerade }: PlanInput,
  { paths, inside, verdicts }: Found & { readonly verdicts: readonly PodVerdict[] },
): Desired {
  const led = new Set(verdicts.filter(({ path }) => path.kind === 'strayed').map(({ ip }) => ip));
  const marked = nodeWide && masquerade !== 'bpf' ? markRules(paths, led) : [];
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

/** `from POD fwmark 0x2000/0x2000 lookup T` for every pod that would answer by the wrong interface, but those `led` anyway. */
function markRules(paths: PodPaths, led: ReadonlySet<string>): readonly IpRule[] {
  const mark = { value: REPLY_MARK, mask: REPLY_MARK };
  return sortAddresses(paths.ciliumPods).flatMap((ip) => {
    const path = paths.of(ip);
    if (path.kind !== 'strayed' || led.has(ip)) return [];
    return [{ priority: REPLY_PRIORITY, from: `${ip}/32`, mark, table: path.table, protocol: RULE_PROTOCOL }];
  });
}
