import type { NetnsLab } from '@static-ip/testkit';
import { VPC } from '@static-ip/testkit';
import { parseCidr } from '../cidr.ts';
import { createNodeKernel } from '../node-kernel.ts';
import type { Surroundings } from '../plan.ts';
import type { KernelPort } from '../synchronise.ts';

/** The kernel of the laboratory's node. */
export function kernelOf({ node }: NetnsLab, { resetTcp = false }: { readonly resetTcp?: boolean } = {}): KernelPort {
  return createNodeKernel({ prefix: node.prefix, procNet: `/proc/${node.pid}/net`, resetTcp });
}

/** What the agent is told about the laboratory. */
export const surroundings: Surroundings = {
  masquerade: 'iptables',
  inside: [VPC].flatMap((text) => parseCidr(text) ?? []),
  enis: [],
};

/** Everything of the node's kernel that could be touched, as the system's programs print it, without counters. */
export async function snapshotOf({ node }: NetnsLab): Promise<string> {
  const commands = [
    'ip -4 -d rule show',
    'ip -4 route show table all',
    // Only the kernel's own module shows a legacy table without making it.
    'nft list ruleset',
    'for t in $(cat /proc/self/net/ip_tables_names); do iptables-legacy-save -t $t; done',
  ];
  const text = await node.run(['sh', '-c', commands.join('; echo; ')]);
  return text.replaceAll(/\[\d+:\d+\]|counter packets \d+ bytes \d+|^#.*$/gm, '');
}
