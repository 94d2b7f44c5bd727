import { ciliumNode, node } from '../cluster/builders.ts';
import type { CiliumNodeObject } from '../cluster/builders.ts';
import { eventually } from '../cluster/eventually.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import type { Stage } from './stage.ts';

/** A node of the story. */
export interface Player {
  readonly name: string;
  readonly instanceId: string;
}

export type Tags = Readonly<Record<string, string>>;

/** Longer than any step takes on a slow machine; a step that is not done by then has failed. */
export const PATIENCE_MS = 20_000;

/** Makes the instance, then its Node and CiliumNode with the tags, as kubelet and Cilium's agent would. */
export async function addPlayer({ cluster, emulator }: Stage, name: string, tags: Tags): Promise<Player> {
  const { id: instanceId, zone, interfaces } = await emulator.controls.addInstance({ tags: { Name: name } });
  const internalIp = interfaces[0]?.privateIps[0] ?? '';
  await cluster.api.createWithStatus(node({ name, instanceId, zone, internalIp }));
  const eni = { 'first-interface-index': 1 };
  await cluster.api.create(ciliumNode({ name, instanceId, internalIp, tags, eni }));
  return { name, instanceId };
}

/** Terminates the instance and deletes its Node and CiliumNode, as an autoscaler and its controllers would. */
export async function removePlayer({ cluster, emulator }: Stage, { name, instanceId }: Player): Promise<void> {
  await emulator.controls.terminate({ instanceId, afterMs: 500 });
  await cluster.api.delete(ciliumNode({ name }));
  await cluster.api.delete(node({ name }));
}

/** The CiliumNode as the API server has it. */
export function readPlayer({ cluster }: Stage, { name }: Pick<Player, 'name'>): Promise<CiliumNodeObject> {
  return cluster.api.get<CiliumNodeObject>(ciliumNode({ name }));
}

/** The address that the status names; undefined when it names none. */
export async function statusOf(stage: Stage, player: Player): Promise<string | undefined> {
  const address = (await readPlayer(stage, player)).status?.ipam?.['assigned-static-ip'];
  return address === '' ? undefined : address;
}

/** The public IP that EC2 has on the instance, undefined when it has none. */
export async function addressInCloud({ emulator }: Stage, { instanceId }: Player): Promise<string | undefined> {
  const { addresses, interfaces } = await emulator.controls.snapshot();
  const own = new Set(interfaces.filter(({ attachment }) => attachment?.instanceId === instanceId).map(({ id }) => id));
  return addresses.find(({ association }) => association !== undefined && own.has(association.interfaceId))?.publicIp;
}

/**
 * Waits until the status names the very address that EC2 has on the instance, and answers it.
 * @throws Error with both when it does not come to that
 */
export async function untilAssigned(stage: Stage, player: Player): Promise<string> {
  return eventually(
    async () => {
      const [status, cloud] = [await statusOf(stage, player), await addressInCloud(stage, player)];
      if (status !== undefined && status === cloud) return status;
      throw new Error(`${player.name}: the status names ${status ?? 'nothing'}, EC2 has ${cloud ?? 'nothing'} there`);
    },
    { timeoutMs: PATIENCE_MS, intervalMs: 50 },
  );
}

/** An Event as far as the story tells it. */
export interface EventObject extends KubeObject {
  readonly reason: string;
  readonly message?: string;
  readonly note?: string;
  readonly type: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

/** Waits for an Event with this reason on the CiliumNode. @throws Error with the reasons there are */
export async function untilEvent({ cluster }: Stage, { name }: Player, reason: string): Promise<EventObject> {
  return eventually(
    async () => {
      const fieldSelector = `involvedObject.kind=CiliumNode,involvedObject.name=${name}`;
      const events = await cluster.api.list<EventObject>('/api/v1/events', { fieldSelector });
      const found = events.find((event) => event.reason === reason);
      if (found !== undefined) return found;
      throw new Error(
        `no Event ${reason} on ${name}, only: ${events.map((event) => event.reason).join(', ') || 'none'}`,
      );
    },
    { timeoutMs: PATIENCE_MS, intervalMs: 50 },
  );
}
