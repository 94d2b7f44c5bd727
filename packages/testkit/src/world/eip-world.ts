import { readFile } from 'node:fs/promises';
import { installChart } from '../chart/install-chart.ts';
import { inRepository } from '../chart/repository.ts';
import { eventually } from '../cluster/eventually.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import { removeAll } from '../cluster/remove-all.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import type { Emulator } from '../ec2/emulator.ts';
import { startWorld } from './start-world.ts';
import type { NewNode, World, WorldOptions } from './start-world.ts';

/** An Eip as the API server shows it in v2. */
export interface EipState extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A pod to be. It runs, as far as the API server knows: there are no kubelets. */
export interface NewPod {
  readonly name: string;
  /** Its address; default: it has none yet. */
  readonly ip?: string;
  /** Default `n1`; undefined: not scheduled. */
  readonly node?: string | undefined;
  /** Default `default`. */
  readonly namespace?: string;
  /** Default `MANAGED`. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** More of the spec, such as `hostNetwork`. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A node with addresses for pods on a second interface of its instance. */
export interface NewPodNode extends NewNode {
  readonly podIps: readonly string[];
}

/** A world with Eips: beside what every world has, pods that ask for addresses, and the addresses they get. */
export interface EipWorld extends World {
  /** An instance, Node and CiliumNode with pod addresses on a second interface. */
  addPodNode(node: NewPodNode): Promise<void>;
  addPod(pod: NewPod): Promise<void>;
  setPodStatus(name: string, status: Readonly<Record<string, unknown>>, namespace?: string): Promise<void>;
  /** As the kubelet does at the end: finalizers still hold it. */
  deletePod(name: string, namespace?: string): Promise<void>;
  addEip(name: string, spec: Readonly<Record<string, unknown>>, namespace?: string): Promise<void>;
  deleteEip(name: string, namespace?: string): Promise<void>;
  eip(name: string, namespace?: string): Promise<EipState | undefined>;
  pod(name: string, namespace?: string): Promise<KubeObject | undefined>;
  /** The public address on a private one, as the cloud has it. */
  onPrivate(privateIp: string): string | undefined;
  /** Waits until the Eip's status and the cloud agree that its address is on this private one; resolves to it. */
  untilAttached(name: string, privateIp: string, how?: UntilAttached): Promise<string>;
}

export interface UntilAttached {
  readonly namespace?: string;
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

/** The label of pods and nodes that may get an address. */
export const MANAGED = { 'eip.materialize.cloud/manage': 'true' } as const;
/** The labels of pods that get an Eip of their own. */
export const AUTOCREATED = { ...MANAGED, 'eip.materialize.cloud/autocreate_eip': 'true' } as const;
/** The name of the cluster in the marks of addresses, unless an operator is told another. */
export const CLUSTER_NAME = 'prod';

const EIP_CRD = 'schemas/crd/eips.materialize.cloud.yaml';
const EIPS = '/apis/materialize.cloud/v2';

/**
 * Starts a world that serves Eips, too; its operators have the rights that the chart gives for both flows, and a cluster
 * name. `reset` also deletes all Eips and pods, whatever holds them.
 */
export async function startEipWorld(options: WorldOptions = {}): Promise<EipWorld> {
  const access = options.kubeconfig ?? chartAccess;
  const world = await startWorld({
    ...options,
    args: ['--cluster-name', CLUSTER_NAME, ...(options.args ?? [])],
    kubeconfig: async (cluster) => {
      if (options.crds !== 'none') await cluster.api.installCrd(await readFile(inRepository(EIP_CRD), 'utf8'));
      return access(cluster);
    },
  });
  const { api } = world.cluster;
  const eip = (name: string, namespace = 'default'): Promise<EipState | undefined> =>
    api.find<EipState>(eipPath(namespace, name));
  const setPodStatus: EipWorld['setPodStatus'] = async (name, status, namespace = 'default') =>
    void (await api.patchStatus(podPath(namespace, name), status));

  return {
    ...world,
    eip,
    setPodStatus,
    pod: (name, namespace = 'default') => api.find<KubeObject>(podPath(namespace, name)),
    onPrivate: (privateIp) => onPrivate(world.ec2, privateIp),
    async reset() {
      // Ends the operators, too: one would put its finalizers back.
      await world.reset();
      await removeAll(api, `${EIPS}/eips`, eipPath);
      await removeAll(api, '/api/v1/pods', podPath);
    },
    async addPodNode({ podIps, ...node }) {
      const id = node.instanceId ?? world.instanceOf(node.name);
      world.ec2.addInstance({ id, zone: node.zone ?? 'us-east-1a', interfaces: [{}, { secondaryIps: podIps }] });
      await world.addNode({ ...node, instanceId: id });
    },
    async addPod(pod) {
      const { name, ip, namespace = 'default' } = pod;
      await api.create(podObject(pod));
      if (ip !== undefined) await setPodStatus(name, { phase: 'Running', podIP: ip, podIPs: [{ ip }] }, namespace);
    },
    deletePod: (name, namespace = 'default') => api.delete(`${podPath(namespace, name)}?gracePeriodSeconds=0`),
    async addEip(name, spec, namespace = 'default') {
      const object = { apiVersion: 'materialize.cloud/v2', kind: 'Eip', metadata: { name, namespace }, spec };
      await api.create(object);
    },
    deleteEip: (name, namespace = 'default') => api.delete(eipPath(namespace, name)),
    untilAttached: (name, privateIp, { namespace = 'default', timeoutMs = 10_000 } = {}) =>
      eventually(
        async () => {
          const status = (await eip(name, namespace))?.status ?? {};
          const actual = onPrivate(world.ec2, privateIp);
          const isSaid = status['privateIpAddress'] === privateIp && typeof status['associationId'] === 'string';
          if (actual === undefined || status['publicIpAddress'] !== actual || !isSaid)
            throw new Error(`the status is ${JSON.stringify(status)}, ${privateIp} has ${actual ?? 'no address'}`);
          return actual;
        },
        { timeoutMs },
      ),
  };
}

/** The chart with all that the Eip flow needs; the Lease in `default`, as in every world. */
async function chartAccess(cluster: Cluster): Promise<string> {
  const values = { options: { leaseNamespace: 'default', clusterName: CLUSTER_NAME } };
  return (await installChart({ cluster, values })).kubeconfig;
}

function eipPath(namespace: string, name: string): string {
  return `${EIPS}/namespaces/${namespace}/eips/${name}`;
}

function podPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

/** The pod as an API server takes it; its status needs another request. */
export function podObject(pod: NewPod): KubeObject & { readonly spec: unknown } {
  const { name, namespace = 'default', labels = MANAGED, annotations = {}, finalizers = [], spec = {} } = pod;
  const nodeName = 'node' in pod ? pod.node : 'n1';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations, finalizers },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      containers: [{ name: 'main', image: 'x' }],
      serviceAccountName: 'default',
      ...spec,
    },
  };
}

function onPrivate(ec2: Emulator, privateIp: string): string | undefined {
  return ec2.snapshot().addresses.find(({ association }) => association?.privateIp === privateIp)?.publicIp;
}
