import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  ciliumNode,
  ciliumNodeCrd,
  createApiClient,
  daemonSetOf,
  eventually,
  installChart,
  node,
  startAgentProcess,
  startCluster,
} from '@static-ip/testkit';
import type {
  ApiClient,
  ChartValues,
  CiliumNodeObject,
  Cluster,
  InstalledChart,
  KubeObject,
  ProgramProcess,
} from '@static-ip/testkit';

/** A cluster with Cilium's published CRD and the chart's agent; nothing runs by itself. */
export interface AgentWorld {
  readonly cluster: Cluster;
  readonly chart: InstalledChart;
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  /** The token that the kubelet of a node would give the agent's pod there. */
  tokenOn(nodeName: string): Promise<string>;
  /** A client with that token. */
  agentOn(nodeName: string): Promise<ApiClient>;
  /** A directory for CNI configuration files, empty. */
  directory(): string;
  /** Runs the built agent's `publish` as the pod of a node would. */
  publish(nodeName: string, directory: string, args?: readonly string[]): Promise<ProgramProcess>;
  /** The CiliumNode's `spec.ipam.static-ip-tags`. */
  tags(nodeName: string): Promise<Readonly<Record<string, string>> | undefined>;
  untilTags(nodeName: string, tags: Readonly<Record<string, string>> | undefined): Promise<void>;
  /** Reasons and notes of the Events about a Node. */
  events(nodeName: string): Promise<readonly { readonly reason: string; readonly note: string }[]>;
  /** Ends all agents and removes all Nodes, CiliumNodes and Events. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

interface EventObject extends KubeObject {
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string };
}

/** Short times, so that a test need not wait for minutes. */
const QUICK = ['--removed-tags-grace=1s', '--reread-interval=1s', '--log-level=debug'];

export async function startAgentWorld(values: ChartValues = {}): Promise<AgentWorld> {
  const cluster = await startCluster();
  await cluster.api.installCrd((await ciliumNodeCrd()).yaml);
  const chart = await installChart({ cluster, values: { ...values, agent: { enabled: true } } });
  const serviceAccount = {
    namespace: 'kube-system',
    name: daemonSetOf(chart.objects).spec.template.spec.serviceAccountName,
  };
  const root = mkdtempSync(path.join(tmpdir(), 'static-ip-agent-'));
  const running: ProgramProcess[] = [];
  let directories = 0;

  const tokenOn = async (nodeName: string): Promise<string> => {
    const { metadata } = await cluster.api.create(agentPod(nodeName, serviceAccount));
    return cluster.createServiceAccountToken({
      ...serviceAccount,
      pod: { name: metadata.name, uid: String(metadata.uid) },
    });
  };
  const tags: AgentWorld['tags'] = async (nodeName) =>
    (await cluster.api.find<CiliumNodeObject>(`/apis/cilium.io/v2/ciliumnodes/${nodeName}`))?.spec.ipam?.[
      'static-ip-tags'
    ];

  return {
    cluster,
    chart,
    serviceAccount,
    tokenOn,
    agentOn: async (nodeName) =>
      createApiClient({ url: cluster.url, caFile: cluster.caFile, token: await tokenOn(nodeName) }),
    directory: () => path.join(root, String(directories++)),
    publish: async (nodeName, directory, args = []) => {
      const kubeconfig = cluster.writeKubeconfig({ token: await tokenOn(nodeName) });
      const command = {
        command: 'publish',
        nodeName,
        kubeconfig,
        args: ['--cni-conf-dir', directory, ...QUICK, ...args],
      };
      const agent = await startAgentProcess(command);
      running.push(agent);
      return agent;
    },
    tags,
    untilTags: async (nodeName, wanted) => {
      await eventually(
        async () => {
          const found = await tags(nodeName);
          if (!isDeepStrictEqual(found, wanted)) throw new Error(`the tags are ${JSON.stringify(found)}`);
        },
        { timeoutMs: 15_000 },
      );
    },
    events: async (nodeName) => {
      const all = await cluster.api.list<EventObject>('/apis/events.k8s.io/v1/namespaces/default/events');
      return all.filter(({ regarding }) => regarding.kind === 'Node' && regarding.name === nodeName);
    },
    reset: async () => {
      await Promise.all(running.splice(0).map((agent) => agent.kill()));
      for (const collection of COLLECTIONS) await cluster.api.delete(collection);
    },
    stop: async () => {
      await Promise.all(running.splice(0).map((agent) => agent.kill()));
      await cluster.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

const COLLECTIONS = [
  '/apis/cilium.io/v2/ciliumnodes',
  '/apis/events.k8s.io/v1/namespaces/default/events',
  '/api/v1/namespaces/kube-system/pods?gracePeriodSeconds=0',
  '/api/v1/nodes',
];

let pods = 0;

function agentPod(nodeName: string, { namespace, name }: AgentWorld['serviceAccount']): KubeObject & { spec: object } {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `agent-${pods++}`, namespace },
    spec: { nodeName, serviceAccountName: name, containers: [{ name: 'node-agent', image: 'none' }] },
  };
}

/** A Node and its CiliumNode, as Cilium's agent makes it: with fields that are not ours. */
export async function addNode(
  world: AgentWorld,
  name: string,
  parts: Partial<Parameters<typeof ciliumNode>[0]> = {},
): Promise<CiliumNodeObject> {
  const { metadata } = await world.cluster.api.create(node({ name }));
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid: String(metadata.uid) };
  const object = ciliumNode({ ...parts, name, metadata: { ownerReferences: [owner], labels: { zone: 'a' } } });
  const ipam = { 'min-allocate': 3, podCIDRs: ['10.1.0.0/24'], ...object.spec.ipam };
  return world.cluster.api.createWithStatus({ ...object, spec: { ...object.spec, ipam } });
}

/** Writes a CNI configuration file of Cilium's with these tags; undefined: without the key. */
export async function writeConfig(
  directory: string,
  tags: Readonly<Record<string, unknown>> | undefined,
  name = '05-cilium.conflist',
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const ipam = tags === undefined ? {} : { 'static-ip-tags': tags };
  const config = { cniVersion: '0.3.1', name: 'cilium', plugins: [{ type: 'cilium-cni', ipam }] };
  await writeFile(path.join(directory, name), JSON.stringify(config));
}
