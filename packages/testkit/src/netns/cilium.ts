import { batch } from './cloud.ts';
import type { Namespace } from './namespace.ts';
import { NODE_PORT, PORT, SERVICE, VPC } from './plan-of-lab.ts';
import type { LabEni, LabPod } from './plan-of-lab.ts';

/** How Cilium is set up: what decides which way a pod's packets go, and whether they are masqueraded. */
export interface CiliumOptions {
  readonly backend: 'nft' | 'legacy';
  /** Rule 111 of a pod: towards the VPC only, or towards everything (newer versions, and without masquerading). */
  readonly egressRule: 'vpc' | 'unconditional';
  /** Interface pattern of its MASQUERADE rule; unset: masquerading is off. */
  readonly masquerade: string | undefined;
}

/** Cilium's rules and chains on the node, and kube-proxy's for a service and a node port. */
export interface Cilium {
  /** As its agent does after a restart: chains renamed to OLD_…, built anew, fed from the top, the old ones deleted. */
  readonly rebuild: () => Promise<void>;
  /** The rules of a pod that has gone. */
  readonly forgetPod: (pod: LabPod) => Promise<void>;
  /** The rules of a pod that has come. */
  readonly addPod: (pod: LabPod) => Promise<void>;
  /** Takes everything away again. */
  readonly remove: () => Promise<void>;
}

interface CiliumParts {
  readonly node: Namespace;
  readonly enis: readonly LabEni[];
  readonly pods: readonly LabPod[];
  readonly options: CiliumOptions;
  /** The pod that the service and the node port lead to. */
  readonly backendPod: LabPod;
}

interface Chain {
  readonly table: 'nat' | 'mangle';
  readonly hook: string;
  readonly name: string;
  readonly rules: readonly string[];
}

/** Imitates what Cilium 1.19 sets up in ENI mode (bpf/…, pkg/datapath/iptables and linux_defaults of its source). */
export async function installCilium(parts: CiliumParts): Promise<Cilium> {
  const { node, pods, options } = parts;
  const chains = chainsOf(parts);
  await node.run(['ipset', '-exist', 'create', 'cilium_node_set_v4', 'hash:ip']);
  await batch(
    node,
    pods.flatMap((pod) => podRules('add', pod, options)),
  );
  await node.run([`iptables-${options.backend}-restore`, '--noflush'], restoreText(chains, parts));
  return {
    rebuild: async () => void (await node.run(['sh', '-ec', rebuildScript(chains, options)])),
    forgetPod: (pod) => batch(node, podRules('del', pod, options)),
    addPod: (pod) => batch(node, podRules('add', pod, options)),
    remove: async () => {
      await batch(
        node,
        pods.flatMap((pod) => podRules('del', pod, options)),
      );
      const empty = ['nat', 'mangle'].map((table) => `*${table}\nCOMMIT\n`).join('');
      await node.run([`iptables-${options.backend}-restore`], empty);
    },
  };
}

function podRules(verb: 'add' | 'del', { ip, eni }: LabPod, { egressRule }: CiliumOptions): readonly string[] {
  const to = egressRule === 'vpc' ? `to ${VPC} ` : '';
  return [
    `rule ${verb} priority 20 from all to ${ip}/32 table main protocol kernel`,
    `rule ${verb} priority 111 from ${ip}/32 ${to}table ${10 + eni} protocol kernel`,
  ];
}

function chainsOf({ enis, options: { masquerade } }: CiliumParts): readonly Chain[] {
  const out = masquerade === undefined ? '' : `-o ${masquerade} `;
  const post =
    masquerade === undefined
      ? []
      : [
          `${out}-m set --match-set cilium_node_set_v4 dst -j ACCEPT`,
          `! -d ${VPC} ${out}-m comment --comment "cilium masquerade non-cluster" -j MASQUERADE`,
        ];
  return [
    {
      table: 'nat',
      hook: 'POSTROUTING',
      name: 'CILIUM_POST_nat',
      rules: [
        ...post,
        '-m mark --mark 0xa00/0xe00 -m comment --comment "exclude proxy return traffic from masquerade" -j ACCEPT',
      ],
    },
    {
      table: 'mangle',
      hook: 'PREROUTING',
      name: 'CILIUM_PRE_mangle',
      rules: [
        `-i ${enis[0]?.device} -m comment --comment "cilium: primary ENI" -m addrtype --dst-type LOCAL --limit-iface-in -j CONNMARK --set-xmark 0x80/0x80`,
        '-i lxc+ -m comment --comment "cilium: primary ENI" -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80',
      ],
    },
  ];
}

const feeder = (name: string): string => `-m comment --comment "cilium-feeder: ${name}" -j ${name}`;

function restoreText(chains: readonly Chain[], { backendPod }: CiliumParts): string {
  const table = (name: Chain['table'], extra: readonly string[]): readonly string[] => {
    const own = chains.filter((chain) => chain.table === name);
    return [
      `*${name}`,
      ...own.map((chain) => `:${chain.name} - [0:0]`),
      ...own.flatMap((chain) => chain.rules.map((rule) => `-A ${chain.name} ${rule}`)),
      ...own.map((chain) => `-A ${chain.hook} ${feeder(chain.name)}`),
      ...extra,
      'COMMIT',
    ];
  };
  // kube-proxy: a service and a node port of one pod; a pod that reaches itself is masqueraded.
  const kubeProxy = [
    `-A PREROUTING -s ${backendPod.ip} -d ${SERVICE} -p tcp --dport ${PORT} -j MARK --set-xmark 0x4000/0x4000`,
    `-A PREROUTING -d ${SERVICE} -p tcp --dport ${PORT} -j DNAT --to-destination ${backendPod.ip}:${PORT}`,
    `-A PREROUTING -p tcp --dport ${NODE_PORT} -m addrtype --dst-type LOCAL -j DNAT --to-destination ${backendPod.ip}:${PORT}`,
    '-A POSTROUTING -m mark --mark 0x4000/0x4000 -j MASQUERADE',
  ];
  return `${[...table('mangle', []), ...table('nat', kubeProxy)].join('\n')}\n`;
}

function rebuildScript(chains: readonly Chain[], { backend }: CiliumOptions): string {
  const lines = chains.flatMap(({ table, hook, name, rules }) => {
    const iptables = `iptables-${backend} -w -t ${table}`;
    return [
      `${iptables} -E ${name} OLD_${name}`,
      `${iptables} -N ${name}`,
      ...rules.map((rule) => `${iptables} -A ${name} ${rule}`),
      `${iptables} -I ${hook} ${feeder(name)}`,
      `${iptables} -D ${hook} -m comment --comment "cilium-feeder: ${name}" -j OLD_${name}`,
      `${iptables} -F OLD_${name}`,
      `${iptables} -X OLD_${name}`,
    ];
  });
  return lines.join('\n');
}
