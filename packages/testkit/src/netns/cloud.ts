import type { Namespace } from './namespace.ts';
import { IMDS, OUTSIDE, VPC_HOST } from './plan-of-lab.ts';
import type { LabEni, LabPod } from './plan-of-lab.ts';

/** A packet that reached the cloud by one of the node's interfaces. */
export interface SeenPacket {
  readonly eni: 0 | 1;
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
}

/** The cloud's side of the laboratory. */
export interface Cloud {
  /** Packets from the node since `forget`, one for each distinct (interface, source, destination, protocol). */
  readonly seen: () => Promise<readonly SeenPacket[]>;
  /** Packets that the source check dropped since `forget`: sources that are not of that interface. */
  readonly dropped: () => Promise<readonly SeenPacket[]>;
  readonly forget: () => Promise<void>;
}

interface CloudParts {
  readonly cloud: Namespace;
  readonly node: Namespace;
  readonly outside: Namespace;
  readonly vpcHost: Namespace;
  readonly enis: readonly LabEni[];
  readonly pods: readonly LabPod[];
}

/**
 * Builds the router between the node's interfaces, a host of the VPC and the internet. As in EC2, a packet is dropped if
 * its source is not an address of the interface that sent it, and a private address is mapped to its public one 1:1; one
 * without gets no farther (https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Internet_Gateway.html).
 */
export async function buildCloud({ cloud, node, outside, vpcHost, enis, pods }: CloudParts): Promise<Cloud> {
  await cloud.run([
    'sh',
    '-ec',
    'for f in all default; do echo 0 >/proc/sys/net/ipv4/conf/$f/rp_filter; done; echo 1 >/proc/sys/net/ipv4/ip_forward',
  ]);
  const links = enis.flatMap(({ index, device, mac }) => [
    `link add eni${index} type veth peer name ${device} address ${mac} netns ${node.pid}`,
    `link set eni${index} up`,
  ]);
  const gateways = enis.map(({ index, gateway }) => `addr replace ${gateway}/32 dev eni${index}`);
  // The cloud knows which interface has which address: it asks nobody.
  const owners = [...enis.map(({ index, ip }) => ({ ip, eni: index })), ...pods];
  const neighbours = owners.flatMap(({ ip, eni }) => [
    `route add ${ip}/32 dev eni${eni}`,
    `neigh add ${ip} lladdr ${enis[eni]?.mac ?? ''} dev eni${eni} nud permanent`,
  ]);
  const others = [
    `link add wan type veth peer name eth0 netns ${outside.pid}`,
    `link add vpc type veth peer name eth0 netns ${vpcHost.pid}`,
    'addr add 198.51.100.1/24 dev wan',
    'addr add 10.0.2.1/24 dev vpc',
    `addr add ${IMDS}/32 dev lo`,
    'link set wan up',
    'link set vpc up',
  ];
  await batch(cloud, [...links, ...gateways, ...neighbours, ...others]);
  await batch(outside, [`addr add ${OUTSIDE}/24 dev eth0`, 'link set eth0 up', 'route add default via 198.51.100.1']);
  await batch(vpcHost, [`addr add ${VPC_HOST}/24 dev eth0`, 'link set eth0 up', 'route add default via 10.0.2.1']);
  await cloud.run(['nft', '-f', '-'], ruleset(enis, pods));
  const read = async (set: string): Promise<readonly SeenPacket[]> =>
    readSeen(await cloud.run(['nft', '-j', 'list', 'set', 'ip', 'cloud', set]));
  return {
    seen: () => read('seen'),
    dropped: () => read('dropped'),
    forget: async () =>
      void (await cloud.run(['nft', '-f', '-'], 'flush set ip cloud seen\nflush set ip cloud dropped\n')),
  };
}

/** Runs lines of `ip` in one process. */
export async function batch(namespace: Namespace, lines: readonly string[]): Promise<void> {
  await namespace.run(['ip', '-batch', '-'], `${lines.join('\n')}\n`);
}

const list = (items: readonly string[]): string => `{ ${items.join(', ')} }`;

function ruleset(enis: readonly LabEni[], pods: readonly LabPod[]): string {
  const all = [...enis.map((eni) => ({ ...eni, eni: eni.index })), ...pods];
  const mapped = all.filter(({ publicIp }) => publicIp !== undefined);
  const packets = 'type ifname . ipv4_addr . ipv4_addr . inet_proto; size 65535; flags dynamic;';
  return `table ip cloud {
  map public { type ipv4_addr : ipv4_addr; elements = ${list(mapped.map(({ ip, publicIp }) => `${ip} : ${publicIp}`))} }
  map private { type ipv4_addr : ipv4_addr; elements = ${list(mapped.map(({ ip, publicIp }) => `${publicIp} : ${ip}`))} }
  set has_public { type ipv4_addr; elements = ${list(mapped.map(({ ip }) => ip))} }
  set owned { type ifname . ipv4_addr; elements = ${list(all.map(({ ip, eni }) => `"eni${eni}" . ${ip}`))} }
  set seen { ${packets} }
  set dropped { ${packets} }
  chain source_check {
    type filter hook prerouting priority raw; policy accept;
    iifname "eni*" iifname . ip saddr != @owned add @dropped { iifname . ip saddr . ip daddr . ip protocol } drop
    iifname "eni*" add @seen { iifname . ip saddr . ip daddr . ip protocol }
  }
  chain in { type nat hook prerouting priority dstnat; policy accept; iifname "wan" dnat to ip daddr map @private; }
  chain gate { type filter hook forward priority filter; policy accept; oifname "wan" ip saddr != @has_public drop; }
  chain out { type nat hook postrouting priority srcnat; policy accept; oifname "wan" snat to ip saddr map @public; }
}
`;
}

interface SetListing {
  readonly nftables: readonly {
    readonly set?: { readonly elem?: readonly { readonly concat: readonly string[] }[] };
  }[];
}

function readSeen(json: string): readonly SeenPacket[] {
  const { nftables }: SetListing = JSON.parse(json);
  const elements = nftables.flatMap(({ set }) => set?.elem ?? []);
  return elements.map(({ concat: [device = '', from = '', to = '', protocol = ''] }) => ({
    eni: device === 'eni0' ? 0 : 1,
    from,
    to,
    protocol,
  }));
}
