import { isDeepStrictEqual } from 'node:util';
import { ciliumNode, node } from '../cluster/builders.ts';
import { eventually } from '../cluster/eventually.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import type { NewInterface } from '../ec2/control/seed-instances.ts';
import { podObject } from '../world/eip-world.ts';
import type { EipState, NewPod } from '../world/eip-world.ts';
import { PATIENCE_MS } from './cast.ts';
import type { Stage } from './stage.ts';

/** A pod that runs: it is on a node and has an address of the VPC. */
export type RunningPod = NewPod & { readonly node: string; readonly ip: string };

/** What is known of an address that a pod holds. */
export interface Holding {
  readonly allocationId: string;
  readonly publicIp: string;
}

export const ALLOCATION_ID = 'eip.materialize.cloud/allocation_id';
export const EXTERNAL_DNS = 'external-dns.alpha.kubernetes.io/target';

/** Makes an instance with these interfaces, then its Node and CiliumNode, which ask for nothing themselves. */
export async function addPodNode(
  { cluster, emulator }: Stage,
  name: string,
  interfaces: readonly NewInterface[],
): Promise<void> {
  const instance = await emulator.controls.addInstance({ tags: { Name: name }, interfaces });
  const { id: instanceId, zone } = instance;
  const internalIp = instance.interfaces[0]?.privateIps[0] ?? '';
  await cluster.api.createWithStatus(node({ name, instanceId, zone, internalIp }));
  await cluster.api.create(ciliumNode({ name, instanceId, internalIp }));
}

/** Creates the pod and has it run, as a scheduler, kubelet and CNI plugin would. */
export async function addPod({ cluster }: Stage, pod: RunningPod): Promise<void> {
  const status = { phase: 'Running', podIP: pod.ip, podIPs: [{ ip: pod.ip }] };
  await cluster.api.createWithStatus({ ...podObject(pod), status });
}

/** Deletes the pod as a kubelet does at the end, and waits until it is really gone, finalizers and all. */
export async function removePod({ cluster }: Stage, name: string): Promise<void> {
  await cluster.api.delete(`${podPath(name)}?gracePeriodSeconds=0`);
  await eventually(async () => (await cluster.api.find(podPath(name))) === undefined, { timeoutMs: PATIENCE_MS });
}

export async function addEip({ cluster }: Stage, name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const metadata = { name, namespace: 'default' };
  await cluster.api.create<EipState>({ apiVersion: 'materialize.cloud/v2', kind: 'Eip', metadata, spec });
}

/** Deletes the Eip, and waits until the operator has let it go. */
export async function removeEip({ cluster }: Stage, name: string): Promise<void> {
  await cluster.api.delete(eipPath(name));
  await untilNoEip({ cluster }, name);
}

export async function untilNoEip({ cluster }: Pick<Stage, 'cluster'>, name: string): Promise<void> {
  await eventually(async () => (await cluster.api.find(eipPath(name))) === undefined, { timeoutMs: PATIENCE_MS });
}

/**
 * Waits until the cloud has an address on the pod's own private IP, and the Eip and the pod's annotations name the same.
 * @throws Error with what each of them says when it does not come to that
 */
export function untilHolding(stage: Stage, eip: string, pod: RunningPod): Promise<Holding> {
  return eventually(
    async () => {
      const { addresses } = await stage.emulator.controls.snapshot();
      const held = addresses.find(({ association }) => association?.privateIp === pod.ip);
      if (held === undefined) throw new Error(`EC2 has no address on ${pod.ip}`);
      const { allocationId, publicIp } = held;
      const said = await saidOf(stage, eip, pod.name);
      const wanted = { status: [allocationId, publicIp, pod.ip], annotations: [allocationId, publicIp] };
      if (isDeepStrictEqual(said, wanted)) return { allocationId, publicIp };
      throw new Error(`EC2 has ${JSON.stringify(wanted.status)}, Eip ${eip} and its pod say ${JSON.stringify(said)}`);
    },
    { timeoutMs: PATIENCE_MS, intervalMs: 50 },
  );
}

/** What the status of the Eip and the annotations of the pod say of the address. */
async function saidOf({ cluster }: Stage, eip: string, pod: string): Promise<unknown> {
  const status = (await cluster.api.find<EipState>(eipPath(eip)))?.status ?? {};
  const annotations = (await cluster.api.get<KubeObject>(podPath(pod))).metadata.annotations ?? {};
  return {
    status: [status['allocationId'], status['publicIpAddress'], status['privateIpAddress']],
    annotations: [annotations[ALLOCATION_ID], annotations[EXTERNAL_DNS]],
  };
}

/** The Eip's condition of this type, as its status and reason. */
export async function eipCondition({ cluster }: Stage, name: string, type: string): Promise<string | undefined> {
  const { status } = await cluster.api.get<EipWithConditions>(eipPath(name));
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found && `${found.status} ${found.reason}`;
}

interface EipWithConditions extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

const podPath = (name: string): string => `/api/v1/namespaces/default/pods/${name}`;
const eipPath = (name: string): string => `/apis/materialize.cloud/v2/namespaces/default/eips/${name}`;
