import { AUTOCREATED, CLUSTER_NAME, MANAGED } from '@static-ip/testkit';
import type { EipState, EipWorld, KubeObject } from '@static-ip/testkit';
import { ANNOTATION, FIELD_MANAGER, FINALIZER, LABEL, LEGACY_POD_FINALIZERS } from '../api/names.ts';
import { eipPath } from './eip-objects.ts';
import type { EipVersion } from './eip-objects.ts';

/** An Eip that k8s-eip-operator served, and where its address is. */
export interface PredecessorEip {
  readonly name: string;
  /** In which it was written. */
  readonly version: EipVersion;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Name of its pod or node. */
  readonly resourceId: string;
  readonly privateIp: string;
  readonly selectorTag: Readonly<Record<string, string>>;
}

const INSTANCE = 'i-00000000000000001';
const GATEWAY = 'i-0000000000000000c';
const GATEWAY_LABELS = { ...MANAGED, gateway: 'a', [LABEL.egressGatewayReady]: 'true' };

/** An Eip of a pod, written in v1 or v2; pods have the addresses 10.0.77.1, 10.0.77.2 …. */
export function predecessorPodEip(
  name: string,
  podName: string,
  { version = 'v2', n }: { readonly version?: EipVersion; readonly n: number },
): PredecessorEip {
  return {
    name,
    version,
    spec: version === 'v1' ? { podName } : { selector: { pod: { podName } } },
    resourceId: podName,
    privateIp: `10.0.77.${n}`,
    selectorTag: { 'eip.materialize.cloud/pod_name': podName },
  };
}

/** One Eip was written in v1, one in v2, one belongs to its pod, one is a node's. */
export const PREDECESSOR_EIPS: readonly PredecessorEip[] = [
  predecessorPodEip('eip-one', 'one', { version: 'v1', n: 1 }),
  predecessorPodEip('eip-two', 'two', { n: 2 }),
  predecessorPodEip('auto', 'auto', { n: 3 }),
  {
    name: 'eip-gw',
    version: 'v2',
    spec: { selector: { node: { selector: { gateway: 'a' } } } },
    resourceId: 'gw',
    privateIp: '10.0.66.1',
    selectorTag: { 'eip.materialize.cloud/node_selector': '{"gateway":"a"}' },
  },
];

/** Nodes and pods as k8s-eip-operator leaves them: with its finalizers, the old ones too, and a gateway's label. */
export async function addPredecessorObjects(world: EipWorld): Promise<void> {
  const podIps = ['10.0.77.1', '10.0.77.2', '10.0.77.3', '10.0.77.4'];
  await world.addPodNode({ name: 'n1', instanceId: INSTANCE, podIps });
  world.ec2.addInstance({ id: GATEWAY, interfaces: [{ privateIp: '10.0.66.1' }] });
  await world.addNode({ name: 'gw', instanceId: GATEWAY, labels: GATEWAY_LABELS });
  await world.cluster.api.patch('/api/v1/nodes/gw', { metadata: { finalizers: [FINALIZER.node] } });
  const finalizers = [FINALIZER.pod];
  await world.addPod({ name: 'one', ip: '10.0.77.1', finalizers });
  await world.addPod({ name: 'two', ip: '10.0.77.2', finalizers: [...finalizers, ...LEGACY_POD_FINALIZERS] });
  await world.addPod({ name: 'auto', ip: '10.0.77.3', finalizers, labels: AUTOCREATED });
}

/** The Eip with its finalizer, the address with marks that name no cluster uid, attached, and the status that says so. */
export async function addPredecessorEip(world: EipWorld, eip: PredecessorEip): Promise<void> {
  const { name, version, spec, resourceId, privateIp, selectorTag } = eip;
  const metadata = { name, namespace: 'default', finalizers: [FINALIZER.eip] };
  const object = { apiVersion: `materialize.cloud/${version}`, kind: 'Eip', metadata, spec };
  const { metadata: created } = await world.cluster.api.create<KubeObject & { readonly spec: unknown }>(object);
  const tags = {
    'eip.materialize.cloud/eip_uid': created.uid ?? '',
    'eip.materialize.cloud/eip_name': name,
    'eip.materialize.cloud/namespace': 'default',
    'eip.materialize.cloud/cluster_name': CLUSTER_NAME,
    ...selectorTag,
    Name: `eip-operator:${CLUSTER_NAME}:default:${name}`,
  };
  const { allocationId, publicIp } = world.ec2.addAddress({ tags, createdBy: 'operator' });
  const eni = interfaceOf(world, privateIp);
  const { id } = world.ec2.associate({ allocationId, interfaceId: eni, privateIp, by: 'operator' });
  const status = { allocationId, publicIpAddress: publicIp, eni, privateIpAddress: privateIp, resourceId };
  await world.cluster.api.patchStatus(eipPath(version, name), { ...status, associationId: id });
  if (privateIp.startsWith('10.0.77.')) await annotate(world, resourceId, { publicIp, allocationId });
}

async function annotate(
  world: EipWorld,
  pod: string,
  { publicIp, allocationId }: { readonly publicIp: string; readonly allocationId: string },
): Promise<void> {
  const annotations = { [ANNOTATION.externalDnsTarget]: publicIp, [ANNOTATION.allocationId]: allocationId };
  await world.cluster.api.send({
    method: 'PATCH',
    path: `/api/v1/namespaces/default/pods/${pod}?fieldManager=${FIELD_MANAGER.predecessor}&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, annotations } },
  });
}

function interfaceOf(world: EipWorld, privateIp: string): string {
  const found = world.ec2.snapshot().interfaces.find(({ privateIps }) => privateIps.includes(privateIp));
  if (found === undefined) throw new Error(`no interface has ${privateIp}`);
  return found.id;
}

/** All that k8s-eip-operator reads: of its Eips, pods and nodes, and of the addresses. */
export async function predecessorsView(world: EipWorld): Promise<unknown> {
  const { addresses } = world.ec2.snapshot();
  return { eips: await eipsView(world), pods: await podsView(world), node: await nodeView(world), addresses };
}

/** Each in the version it was written in: under the predecessor's definition the other lacks its spec. */
function eipsView({ cluster }: EipWorld): Promise<readonly unknown[]> {
  return Promise.all(
    PREDECESSOR_EIPS.map(async ({ name, version }) => {
      const { metadata, spec, status = {} } = await cluster.api.get<EipState>(eipPath(version, name));
      const { allocationId, publicIpAddress, eni, privateIpAddress, resourceId, associationId } = status;
      const { uid, finalizers, labels } = metadata;
      const seen = { allocationId, publicIpAddress, eni, privateIpAddress, resourceId, associationId };
      return { uid, finalizers, labels, spec, status: seen };
    }),
  );
}

async function podsView({ cluster }: EipWorld): Promise<readonly unknown[]> {
  const pods = await cluster.api.list<KubeObject>('/api/v1/namespaces/default/pods', { labelSelector: LABEL.manage });
  return pods.map(({ metadata: { name, uid, labels, annotations, finalizers = [] } }) => ({
    name,
    uid,
    labels,
    annotations,
    finalizers: finalizers.filter((finalizer) => !LEGACY_POD_FINALIZERS.includes(finalizer)),
  }));
}

async function nodeView({ cluster }: EipWorld): Promise<unknown> {
  const { metadata } = await cluster.api.get<KubeObject>('/api/v1/nodes/gw');
  return { uid: metadata.uid, labels: metadata.labels, finalizers: metadata.finalizers };
}
