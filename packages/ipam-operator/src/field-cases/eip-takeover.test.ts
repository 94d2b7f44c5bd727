import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AUTOCREATED, eventually, MANAGED, startEipWorld } from '@static-ip/testkit';
import type { EipWorld, KubeObject } from '@static-ip/testkit';
import { ANNOTATION, FIELD_MANAGER, FINALIZER, LABEL, LEGACY_POD_FINALIZERS } from '../api/names.ts';

/**
 * A cluster as k8s-eip-operator leaves it: its finalizers, statuses, annotations and labels, and addresses with its marks,
 * which name no cluster uid. One Eip was written in v1, one in v2, one belongs to its pod, one is a node's.
 */
const INSTANCE = 'i-00000000000000001';
const GATEWAY = 'i-0000000000000000c';

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld();
}, 90_000);
beforeEach(() => world.reset());
afterEach(async () => {
  expect(world.ec2.violations()).toEqual([]);
  // Without an operator it would keep the node.
  const node = await world.cluster.api.find('/api/v1/nodes/gw');
  if (node !== undefined) await world.cluster.api.patch('/api/v1/nodes/gw', { metadata: { finalizers: null } });
});
afterAll(() => world.stop());

const eipPath = (name: string, version = 'v2'): string =>
  `/apis/materialize.cloud/${version}/namespaces/default/eips/${name}`;

interface PeerEip {
  readonly name: string;
  readonly version: 'v1' | 'v2';
  readonly spec: Readonly<Record<string, unknown>>;
  readonly resourceId: string;
  readonly privateIp: string;
  readonly selectorTag: Readonly<Record<string, string>>;
}

/** The Eip with its finalizer, the address with its marks, attached, and the status that says so. */
async function addPeerEip({ name, version, spec, resourceId, privateIp, selectorTag }: PeerEip): Promise<void> {
  const metadata = { name, namespace: 'default', finalizers: [FINALIZER.eip] };
  const object = { apiVersion: `materialize.cloud/${version}`, kind: 'Eip', metadata, spec };
  const { metadata: created } = await world.cluster.api.create<KubeObject & { readonly spec: unknown }>(object);
  const tags = {
    'eip.materialize.cloud/eip_uid': created.uid ?? '',
    'eip.materialize.cloud/eip_name': name,
    'eip.materialize.cloud/namespace': 'default',
    'eip.materialize.cloud/cluster_name': 'prod',
    ...selectorTag,
    Name: `eip-operator:prod:default:${name}`,
  };
  const { allocationId, publicIp } = world.ec2.addAddress({ tags, createdBy: 'operator' });
  const eni = interfaceOf(privateIp);
  const { id } = world.ec2.associate({ allocationId, interfaceId: eni, privateIp, by: 'operator' });
  const status = { allocationId, publicIpAddress: publicIp, eni, privateIpAddress: privateIp, resourceId };
  await world.cluster.api.patchStatus(eipPath(name), { ...status, associationId: id });
  if (version === 'v1' || 'pod' in Object(spec['selector'])) await annotate(resourceId, publicIp, allocationId);
}

async function annotate(pod: string, ip: string, allocationId: string): Promise<void> {
  const annotations = { [ANNOTATION.externalDnsTarget]: ip, [ANNOTATION.allocationId]: allocationId };
  await world.cluster.api.send({
    method: 'PATCH',
    path: `/api/v1/namespaces/default/pods/${pod}?fieldManager=${FIELD_MANAGER.predecessor}&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, annotations } },
  });
}

function interfaceOf(privateIp: string): string {
  const found = world.ec2.snapshot().interfaces.find(({ privateIps }) => privateIps.includes(privateIp));
  if (found === undefined) throw new Error(`no interface has ${privateIp}`);
  return found.id;
}

/** Eip, pod, and the last number of the pod's address. */
const PODS = [
  ['eip-one', 'one', 1],
  ['eip-two', 'two', 2],
  ['auto', 'auto', 3],
] as const;

const nodeLabels = { ...MANAGED, gateway: 'a', [LABEL.egressGatewayReady]: 'true' };

async function addPeersWorld(): Promise<void> {
  await world.addPodNode({ name: 'n1', instanceId: INSTANCE, podIps: ['10.0.77.1', '10.0.77.2', '10.0.77.3'] });
  world.ec2.addInstance({ id: GATEWAY, interfaces: [{ privateIp: '10.0.66.1' }] });
  await world.addNode({ name: 'gw', instanceId: GATEWAY, labels: nodeLabels });
  await world.cluster.api.patch('/api/v1/nodes/gw', { metadata: { finalizers: [FINALIZER.node] } });
  const pod = { finalizers: [FINALIZER.pod] };
  await world.addPod({ ...pod, name: 'one', ip: '10.0.77.1' });
  await world.addPod({
    ...pod,
    name: 'two',
    ip: '10.0.77.2',
    finalizers: [...pod.finalizers, ...LEGACY_POD_FINALIZERS],
  });
  await world.addPod({ ...pod, name: 'auto', ip: '10.0.77.3', labels: AUTOCREATED });
  for (const [name, podName, n] of PODS) {
    const version = name === 'eip-one' ? 'v1' : 'v2';
    const spec = version === 'v1' ? { podName } : { selector: { pod: { podName } } };
    const selectorTag = { 'eip.materialize.cloud/pod_name': podName };
    await addPeerEip({ name, version, spec, resourceId: podName, privateIp: `10.0.77.${n}`, selectorTag });
  }
  const selectorTag = { 'eip.materialize.cloud/node_selector': '{"gateway":"a"}' };
  const spec = { selector: { node: { selector: { gateway: 'a' } } } };
  await addPeerEip({ name: 'eip-gw', version: 'v2', spec, resourceId: 'gw', privateIp: '10.0.66.1', selectorTag });
}

function mutatingCalls(): readonly string[] {
  return world.ec2.journal().flatMap(({ action }) => (action.startsWith('Describe') ? [] : [action]));
}

const EIPS = ['eip-one', 'eip-two', 'auto', 'eip-gw'] as const;

/** All that the predecessor reads, of one Eip. */
async function peersView(name: string): Promise<unknown> {
  const { metadata, spec, status = {} } = (await world.eip(name)) ?? { metadata: { name }, spec: undefined };
  const { allocationId, publicIpAddress, eni, privateIpAddress, resourceId, associationId } = status;
  const { uid, finalizers, labels } = metadata;
  return {
    uid,
    finalizers,
    labels,
    spec,
    status: { allocationId, publicIpAddress, eni, privateIpAddress, resourceId, associationId },
  };
}

async function podsView(): Promise<unknown> {
  const pods = await world.cluster.api.list<KubeObject>('/api/v1/namespaces/default/pods');
  return pods.map(({ metadata: { name, uid, labels, annotations, finalizers = [] } }) => ({
    name,
    uid,
    labels,
    annotations,
    finalizers: finalizers.filter((finalizer) => !LEGACY_POD_FINALIZERS.includes(finalizer)),
  }));
}

async function nodeView(): Promise<unknown> {
  const { metadata } = await world.cluster.api.get<KubeObject>('/api/v1/nodes/gw');
  return { uid: metadata.uid, labels: metadata.labels, finalizers: metadata.finalizers };
}

async function everything(): Promise<unknown> {
  const eips = await Promise.all(EIPS.map((name) => peersView(name)));
  return { eips, pods: await podsView(), node: await nodeView(), addresses: world.ec2.snapshot().addresses };
}

function until(isTrue: () => Promise<boolean> | boolean): Promise<true> {
  return eventually(isTrue, { timeoutMs: 12_000 });
}

/** Taken over: each Eip is said to be ready. */
async function takeOver(): Promise<void> {
  await world.operator(['--sweep', 'release']);
  for (const name of EIPS) {
    await until(async () => {
      const conditions = (await world.eip(name))?.status?.['conditions'];
      return JSON.stringify(conditions ?? null).includes('"status":"True","type":"Ready"');
    });
  }
  await new Promise((resolve) => setTimeout(resolve, 2_500));
}

describe('a cluster that k8s-eip-operator ran', () => {
  it('is taken over without a call that changes anything, and is to its eyes as it was', async () => {
    await addPeersWorld();
    const before = await everything();
    await takeOver();
    expect(await everything()).toEqual(before);
    expect(mutatingCalls()).toEqual([]);
    expect((await world.pod('two'))?.metadata.finalizers).toEqual([FINALIZER.pod]);
  });

  it('shows an Eip that was written in v1 as it was, in both versions', async () => {
    await addPeersWorld();
    await takeOver();
    for (const version of ['v1', 'v2']) {
      const eip = await world.cluster.api.get<KubeObject & { readonly spec: unknown }>(eipPath('eip-one', version));
      expect(eip.spec).toEqual({ podName: 'one' });
    }
  });

  it('B25: has its addresses released with their Eips', async () => {
    await addPeersWorld();
    await takeOver();
    for (const name of ['eip-one', 'eip-gw']) await world.deleteEip(name);
    await world.deletePod('auto');
    for (const name of ['eip-one', 'eip-gw', 'auto']) await until(async () => (await world.eip(name)) === undefined);
    await until(async () => (await world.pod('auto')) === undefined);
    const left = world.ec2.snapshot().addresses.map(({ tags }) => tags['eip.materialize.cloud/eip_name']);
    expect(left).toEqual(['eip-two']);
    await until(async () => (await world.pod('one'))?.metadata.annotations === undefined);
  });

  it('has its pods followed, and its nodes let go', async () => {
    await addPeersWorld();
    await takeOver();
    const ip = world.onPrivate('10.0.77.1');
    await world.deletePod('one');
    await until(async () => (await world.pod('one')) === undefined);
    await world.addPod({ name: 'one', ip: '10.0.77.1' });
    expect(await world.untilAttached('eip-one', '10.0.77.1')).toBe(ip);
    await world.cluster.api.delete('/api/v1/nodes/gw');
    await until(async () => (await world.cluster.api.find('/api/v1/nodes/gw')) === undefined);
  });
});
