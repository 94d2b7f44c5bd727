import { holderOf, putInterface, removeInterface } from './bindings.ts';
import type { Instance, InstanceState, NetworkInterface, World } from './model.ts';
import { lookUp, withEntry } from './persistent-map.ts';
import { newPublicIp } from './public-ips.ts';
import type { IdSource } from './seeded-ids.ts';

/** EC2's numeric codes of the instance states. */
export const STATE_CODES: Readonly<Record<InstanceState, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

/** A world in which the instance is known, replacing an earlier version of it. */
export function putInstance(world: World, instance: Instance): World {
  return { ...world, instances: withEntry(world.instances, instance.id, instance) };
}

/** The instance an interface is attached to, if any. */
export function instanceOf(world: World, networkInterface: NetworkInterface): Instance | undefined {
  return lookUp(world.instances, networkInterface.attachment?.instanceId ?? '');
}

/** The interfaces of an instance that still exist. */
export function interfacesOf(world: World, instance: Instance): NetworkInterface[] {
  return instance.interfaceIds.flatMap((id) => lookUp(world.interfaces, id) ?? []);
}

/**
 * Ends a transition: a terminated instance loses its interfaces, so their addresses are free but stay allocated; a
 * stopped one keeps them, and only its automatic public address goes.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
 */
export function finishTransition(
  world: World,
  change: { instanceId: string; to: InstanceState },
  ids: IdSource,
): World {
  const instance = lookUp(world.instances, change.instanceId);
  if (instance === undefined || instance.state === 'terminated') return world;
  const moved = putInstance(world, { ...instance, state: change.to });
  if (change.to === 'terminated') return takeApart(moved, { ...instance, state: change.to });
  if (change.to === 'stopped') return dropAutoPublicIps(moved, instance);
  if (change.to === 'running')
    return interfacesOf(moved, instance).reduce((current, { id }) => returnAutoPublicIp(current, id, ids), moved);
  return moved;
}

function takeApart(world: World, instance: Instance): World {
  const without = interfacesOf(world, instance).reduce((current, networkInterface) => {
    if (networkInterface.attachment?.deleteOnTermination === true) return removeInterface(current, networkInterface);
    return putInterface(current, { ...networkInterface, attachment: undefined, autoPublicIp: undefined });
  }, world);
  return putInstance(without, { ...instance, interfaceIds: [] });
}

function dropAutoPublicIps(world: World, instance: Instance): World {
  return interfacesOf(world, instance).reduce((current, found) => {
    return found.autoPublicIp === undefined ? current : putInterface(current, { ...found, autoPublicIp: undefined });
  }, world);
}

/**
 * Gives an instance that asks for one its automatic public address, if it has a single interface and no other address.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html
 */
export function returnAutoPublicIp(world: World, interfaceId: string, ids: IdSource): World {
  const networkInterface = lookUp(world.interfaces, interfaceId);
  const instance = networkInterface === undefined ? undefined : instanceOf(world, networkInterface);
  if (networkInterface === undefined || instance?.autoPublicIp !== true) return world;
  const [primary = ''] = networkInterface.privateIps;
  const isAlone = instance.state === 'running' && instance.interfaceIds.length === 1;
  const hasPublicIp =
    networkInterface.autoPublicIp !== undefined || holderOf(world, interfaceId, primary) !== undefined;
  if (!isAlone || hasPublicIp) return world;
  return putInterface(world, { ...networkInterface, autoPublicIp: newPublicIp(world, ids) });
}
