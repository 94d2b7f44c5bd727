import { installCilium } from './cilium.ts';
import type { Cilium, CiliumOptions } from './cilium.ts';
import { batch, buildCloud } from './cloud.ts';
import type { Cloud } from './cloud.ts';
import { createNamespace } from './namespace.ts';
import type { Namespace } from './namespace.ts';
import { enisOf, podsOf, PORT } from './plan-of-lab.ts';
import type { LabEni, LabPod, Subnets } from './plan-of-lab.ts';

export interface AskTarget {
  readonly host: string;
  /** Default: the port on which everybody answers. */
  readonly port?: number;
  /** Give up after so long. Default 1500. */
  readonly timeoutMs?: number;
}

/** A node of a cloud in network namespaces: two interfaces, pods, and a router that behaves as the cloud's. */
export interface NetnsLab {
  readonly node: Namespace;
  readonly outside: Namespace;
  readonly vpcHost: Namespace;
  readonly imds: Namespace;
  readonly cloud: Cloud;
  readonly enis: readonly [LabEni, LabEni];
  readonly pods: ReturnType<typeof podsOf>;
  readonly podNamespace: (pod: LabPod) => Namespace;
  readonly installCilium: (options: CiliumOptions) => Promise<Cilium>;
  /** The source that `host` saw of one new flow from `from`, or why there was none. */
  readonly ask: (from: Namespace, protocol: 'tcp' | 'udp', to: AskTarget) => Promise<string>;
  /** Sends one ICMP echo request; whether it was answered. */
  readonly ping: (from: Namespace, host: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Builds a laboratory. Nothing outside of its own namespaces is touched. */
export async function createNetnsLab({ subnets }: { readonly subnets: Subnets }): Promise<NetnsLab> {
  const enis = enisOf(subnets);
  const pods = podsOf(subnets);
  const allPods = Object.values(pods);
  const names = ['node', 'cloud', 'outside', 'vpc-host', ...allPods.map(({ name }) => name)];
  const namespaces = new Map(
    await Promise.all(names.map(async (name) => [name, await createNamespace(name)] as const)),
  );
  const get = (name: string): Namespace => {
    const found = namespaces.get(name);
    if (found === undefined) throw new Error(`the laboratory has no namespace ${name}`);
    return found;
  };
  const node = get('node');
  const parts = { cloud: get('cloud'), node, outside: get('outside'), vpcHost: get('vpc-host') };
  const cloud = await buildCloud({ ...parts, enis, pods: allPods });
  await buildNode(node, enis, subnets);
  for (const pod of allPods) await buildPod(node, get(pod.name), pod);
  await Promise.all(
    [parts.cloud, parts.outside, parts.vpcHost, node, ...allPods.map(({ name }) => get(name))].map(async (one) => {
      await (await one.resident()).request({ op: 'listen', port: PORT });
    }),
  );
  return {
    node,
    outside: parts.outside,
    vpcHost: parts.vpcHost,
    imds: parts.cloud,
    cloud,
    enis,
    pods,
    podNamespace: ({ name }) => get(name),
    installCilium: (options) => installCilium({ node, enis, pods: allPods, options, backendPod: pods.holder1 }),
    ask: async (from, protocol, { port = PORT, ...to }) => {
      const { source, error } = await (await from.resident()).request({ op: 'ask', protocol, port, ...to });
      return source ?? `none: ${error}`;
    },
    ping: (from, host) =>
      from.run(['ping', '-n', '-c', '1', '-W', '1', host]).then(
        () => true,
        () => false,
      ),
    close: async () => void (await Promise.all([...namespaces.values()].map((one) => one.close()))),
  };
}

/** The node as the cloud's image and Cilium's agent leave it before any pod: addresses, tables 10 and 11, rules 9 to 109. */
async function buildNode(node: Namespace, [first, second]: readonly [LabEni, LabEni], subnets: Subnets): Promise<void> {
  const sysctls = ['all/rp_filter 0', `${first.device}/rp_filter 2`, `${second.device}/rp_filter 2`];
  const writes = sysctls
    .map((line) => line.split(' '))
    .map(([file, value]) => `echo ${value} >/proc/sys/net/ipv4/conf/${file}`);
  await node.run(['sh', '-ec', [...writes, 'echo 1 >/proc/sys/net/ipv4/ip_forward'].join('\n')]);
  const tables = [first, second].flatMap(({ index, device, gateway }) => [
    `route add ${gateway}/32 dev ${device} scope link table ${10 + index}`,
    `route add default via ${gateway} dev ${device} table ${10 + index}`,
  ]);
  await batch(node, [
    `addr add ${first.ip}/24 dev ${first.device}`,
    // In one subnet the first interface serves it, as the images of the clouds and Cilium leave it.
    `addr add ${second.ip}/24 dev ${second.device}${subnets === 'same' ? ' noprefixroute' : ''}`,
    `link set ${first.device} up`,
    `link set ${second.device} up`,
    `route add default via ${first.gateway} dev ${first.device}`,
    ...tables,
    'rule add priority 9 from all fwmark 0x200/0xf00 table 2004 protocol kernel',
    'rule add priority 100 from all table local protocol kernel',
    'rule del priority 0 table local',
    'rule add priority 109 from all fwmark 0x80/0x80 table main protocol kernel',
  ]);
}

/** A pod behind a veth pair, with its only route through it, as Cilium makes it. */
async function buildPod(node: Namespace, pod: Namespace, { name, ip }: LabPod): Promise<void> {
  const outer = `lxc${name}`;
  const suffix = ip
    .split('.')
    .slice(2)
    .map((part) => Number(part).toString(16).padStart(2, '0'));
  const mac = `02:00:00:01:${suffix.join(':')}`;
  await batch(node, [
    `link add ${outer} address ${mac} type veth peer name eth0 netns ${pod.pid}`,
    `link set ${outer} up`,
    `route add ${ip}/32 dev ${outer} scope link`,
  ]);
  await batch(pod, [
    `addr add ${ip}/32 dev eth0`,
    'link set eth0 up',
    'route add 169.254.1.1 dev eth0 scope link',
    'route add default via 169.254.1.1 dev eth0',
    `neigh add 169.254.1.1 lladdr ${mac} dev eth0 nud permanent`,
  ]);
}
