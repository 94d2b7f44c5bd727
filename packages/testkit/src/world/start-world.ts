import { ciliumNodeCrd } from '../assets/cilium-crd.ts';
import { installChart } from '../chart/install-chart.ts';
import type { Audit } from '../cluster/audit.ts';
import { ciliumNode, node } from '../cluster/builders.ts';
import type { CiliumNodeObject, CiliumNodeOptions, NodeOptions } from '../cluster/builders.ts';
import { eventually } from '../cluster/eventually.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { createEmulator } from '../ec2/emulator.ts';
import type { Emulator } from '../ec2/emulator.ts';
import type { SettingsPatch } from '../ec2/control/settings-patch.ts';
import { runOperatorCommand, startOperatorProcess } from './operator-process.ts';
import type { CommandResult, OneCommand, OperatorCommand, OperatorProcess } from './operator-process.ts';

/** A node to be: an instance, its Node and its CiliumNode under one name. */
export interface NewNode extends Omit<CiliumNodeOptions, 'name' | 'instanceId'> {
  readonly name: string;
  /** Default: one derived from the name. An instance is made for it unless it exists. */
  readonly instanceId?: string;
  /** Leave out `spec.instance-id`, as Cilium does outside its cloud modes. */
  readonly withoutInstanceId?: boolean;
  readonly zone?: string;
  /** More labels of the Node. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Taints that the Node is registered with. */
  readonly taints?: NodeOptions['taints'];
}

/** An Event of either API, in one shape. */
export interface SeenEvent {
  readonly kind: string;
  readonly name: string;
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly count: number;
}

/** A real API server, an emulated EC2 account, and operators as processes of their own. */
export interface World {
  readonly cluster: Cluster;
  readonly ec2: Emulator;
  /** Deletes all nodes, Events and Leases, starts the account over and ends the operators that still run. */
  reset(): Promise<void>;
  stop(): Promise<void>;
  /** Installs the CiliumNode CRD, where `crds` left it out. */
  installCrds(): Promise<void>;
  /** Starts an operator with fast intervals; `args` come last and win. */
  operator(args?: readonly string[], over?: Partial<OperatorCommand>): Promise<OperatorProcess>;
  /** Runs a command of the operator that ends by itself, such as `['plan', '--output', 'json']`. */
  command(words: readonly string[], over?: Partial<OneCommand>): Promise<CommandResult>;
  addNode(node: NewNode): Promise<void>;
  /** Addresses with these tags; returns their public addresses. */
  addPool(count: number, tags: Readonly<Record<string, string>>): readonly string[];
  ciliumNode(name: string): Promise<CiliumNodeObject | undefined>;
  /** `status.ipam.assigned-static-ip`. */
  assigned(name: string): Promise<string | undefined>;
  /** The Elastic IP on the primary private address of the node's instance. */
  held(name: string): string | undefined;
  /** Waits until the status names what the instance holds, and answers it. */
  untilAssigned(name: string, timeoutMs?: number): Promise<string>;
  events(which?: { readonly name?: string; readonly reason?: string }): Promise<readonly SeenEvent[]>;
  /** Waits until an Event with this reason about an object of this name was told so many times, by whichever process. */
  untilEvent(name: string, reason: string, count?: number): Promise<void>;
  /** Calls of an action that had or may have had an effect, throttled ones left out. */
  calls(action: string): number;
  instanceOf(name: string): string;
}

const CILIUM_NODES = '/apis/cilium.io/v2/ciliumnodes';

/** Intervals that let a test see in seconds what takes minutes in production. */
const FAST = ['--resync-interval', '1s', '--removed-tags-grace', '2s', '--lease-duration', '5s'];

/** How a started world differs from the default. */
export interface WorldOptions {
  readonly settings?: SettingsPatch;
  /** `none`: the cluster serves no CiliumNodes until `installCrds`, and no Eips. */
  readonly crds?: 'none';
  /** What the API server's audit log holds; default: there is none. */
  readonly audit?: Audit;
  /** The kubeconfig that operators get; default: that of the chart's service account, with its rights and no others. */
  readonly kubeconfig?: (cluster: Cluster) => Promise<string>;
  /** Flags of every operator, before its own. */
  readonly args?: readonly string[];
}

/** Starts a world with Cilium's published CRD, or ours where that cannot be had. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const cluster = await startCluster({ audit: options.audit ?? false });
  const installCrds = async (): Promise<void> => cluster.api.installCrd((await ciliumNodeCrd()).yaml);
  if (options.crds !== 'none') await installCrds();
  const kubeconfig = await (options.kubeconfig ?? chartAccess)(cluster);
  const ec2 = createEmulator({ settings: options.settings ?? {} });
  const endpoint = await ec2.listen();
  const running = new Set<OperatorProcess>();
  const instances = new Map<string, string>();
  const { api } = cluster;
  const commonArgs = [...FAST, ...(options.args ?? [])];

  const find = (name: string): Promise<CiliumNodeObject | undefined> =>
    api.find<CiliumNodeObject>(`${CILIUM_NODES}/${name}`);
  const assigned = async (name: string): Promise<string | undefined> =>
    (await find(name))?.status?.ipam?.['assigned-static-ip'] || undefined;
  const instanceOf = (name: string): string => instances.get(name) ?? instanceId(name);
  const held = (name: string): string | undefined => heldBy(ec2, instanceOf(name));
  const events: World['events'] = async ({ name, reason } = {}) => {
    const all = (await api.list<RawEvent>('/api/v1/events')).map(seenEvent);
    return all.filter((event) => (name ?? event.name) === event.name && (reason ?? event.reason) === event.reason);
  };
  const endAll = async (): Promise<void> => {
    await Promise.all([...running].map((operator) => operator.kill()));
    running.clear();
  };

  return {
    cluster,
    ec2,
    instanceOf,
    installCrds,
    async reset() {
      await endAll();
      await api.delete(CILIUM_NODES);
      await api.delete('/api/v1/nodes');
      await api.delete('/api/v1/namespaces/default/events');
      // A killed leader would keep its successor waiting.
      await api.delete('/apis/coordination.k8s.io/v1/namespaces/default/leases');
      ec2.reset();
      instances.clear();
    },
    async stop() {
      await endAll();
      await Promise.all([ec2.close(), cluster.stop()]);
    },
    async operator(args = [], over = {}) {
      const operator = await startOperatorProcess({ kubeconfig, endpoint, ...over, args: [...commonArgs, ...args] });
      running.add(operator);
      void operator.ended.then(() => running.delete(operator));
      return operator;
    },
    command: (words, over = {}) => runOperatorCommand(words, { kubeconfig, endpoint, ...over }),
    async addNode({ name, withoutInstanceId = false, zone = 'us-east-1a', labels = {}, taints, ...rest }) {
      const id = rest.instanceId ?? instanceId(name);
      instances.set(name, id);
      if (!ec2.snapshot().instances.some((instance) => instance.id === id)) ec2.addInstance({ id, zone });
      await api.create(node({ name, instanceId: id, zone, labels, taints }));
      await api.createWithStatus(ciliumNode({ ...rest, name, instanceId: withoutInstanceId ? undefined : id }));
    },
    addPool: (count, tags) => Array.from({ length: count }, () => ec2.addAddress({ tags }).publicIp),
    ciliumNode: find,
    assigned,
    held,
    untilAssigned: (name, timeoutMs = 10_000) =>
      eventually(
        async () => {
          const [ip, actual] = [await assigned(name), held(name)];
          if (ip === undefined || ip !== actual) {
            throw new Error(`${name} shows ${ip ?? 'no address'}, its instance holds ${actual ?? 'none'}`);
          }
          return ip;
        },
        { timeoutMs },
      ),
    events,
    untilEvent: (name, reason, count = 1) =>
      eventually(
        async () => {
          const counts = (await events({ name, reason })).map((event) => event.count);
          if (!counts.some((seen) => seen >= count))
            throw new Error(`${reason} of ${name} was told ${String(counts)} times`);
        },
        { timeoutMs: 20_000 },
      ),
    calls: (action) => {
      const { RequestLimitExceeded: _throttled, ...codes } = ec2.counts()[action] ?? {};
      return Object.values(codes).reduce((sum, count) => sum + count, 0);
    },
  };
}

/** The Lease in `default`, where an operator with a kubeconfig keeps it unless told otherwise. */
async function chartAccess(cluster: Cluster): Promise<string> {
  const { kubeconfig } = await installChart({ cluster, values: { options: { leaseNamespace: 'default' } } });
  return kubeconfig;
}

interface RawEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly series?: { readonly count?: number };
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

function seenEvent({ involvedObject, type = '', reason = '', message = '', count, series }: RawEvent): SeenEvent {
  const { kind, name } = involvedObject;
  return { kind, name, type, reason, note: message, count: series?.count ?? count ?? 1 };
}

function heldBy(ec2: Emulator, instance: string): string | undefined {
  const { interfaces, addresses } = ec2.snapshot();
  const primary = interfaces.find(
    ({ attachment }) => attachment?.instanceId === instance && attachment.deviceIndex === 0,
  );
  const onPrimary = addresses.find(
    ({ association }) =>
      primary !== undefined &&
      association?.interfaceId === primary.id &&
      association.privateIp === primary.privateIps[0],
  );
  return onPrimary?.publicIp;
}

/** An instance id that is the same for the same name. */
function instanceId(name: string): string {
  return `i-${Buffer.from(name).toString('hex').padStart(17, '0').slice(-17)}`;
}
