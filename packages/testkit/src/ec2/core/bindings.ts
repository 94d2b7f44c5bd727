import { targetKey } from './model.ts';
import type { Address, Association, NetworkInterface, World } from './model.ts';
import { lookUp, withEntry, withoutEntry } from './persistent-map.ts';

/** The address associated with an interface's private IP, if any. */
export function holderOf(world: World, interfaceId: string, privateIp: string): Address | undefined {
  const allocationId = lookUp(world.holders, targetKey(interfaceId, privateIp));
  return allocationId === undefined ? undefined : lookUp(world.addresses, allocationId);
}

/** A world in which `address` is known, replacing an earlier version of it. */
export function putAddress(world: World, address: Address): World {
  return {
    ...world,
    addresses: withEntry(world.addresses, address.allocationId, address),
    publicIps: withEntry(world.publicIps, address.publicIp, address.allocationId),
  };
}

/** A world in which the interface is known, replacing an earlier version of it. */
export function putInterface(world: World, networkInterface: NetworkInterface): World {
  return { ...world, interfaces: withEntry(world.interfaces, networkInterface.id, networkInterface) };
}

/**
 * A world in which the address is associated as given and nowhere else, the target's earlier address is free, and an
 * automatic public address on the same private IP is given back.
 */
export function bind(world: World, address: Address, association: Association): World {
  const evicted = holderOf(world, association.interfaceId, association.privateIp);
  const cleared = unbind(evicted === undefined ? world : unbind(world, evicted), address);
  const bound = putAddress(
    {
      ...cleared,
      holders: withEntry(
        cleared.holders,
        targetKey(association.interfaceId, association.privateIp),
        address.allocationId,
      ),
      associations: withEntry(cleared.associations, association.id, address.allocationId),
    },
    { ...address, association },
  );
  const target = lookUp(bound.interfaces, association.interfaceId);
  const givesBack = target?.autoPublicIp !== undefined && target.privateIps[0] === association.privateIp;
  return givesBack ? putInterface(bound, { ...target, autoPublicIp: undefined }) : bound;
}

/** A world in which the address is associated with nothing. */
export function unbind(world: World, address: Address): World {
  const { association } = address;
  if (association === undefined) return world;
  return putAddress(
    {
      ...world,
      holders: withoutEntry(world.holders, targetKey(association.interfaceId, association.privateIp)),
      associations: withoutEntry(world.associations, association.id),
    },
    { ...address, association: undefined },
  );
}

/** A world without the address. */
export function removeAddress(world: World, address: Address): World {
  const free = unbind(world, address);
  return {
    ...free,
    addresses: withoutEntry(free.addresses, address.allocationId),
    publicIps: withoutEntry(free.publicIps, address.publicIp),
  };
}

/** A world without the interface; its addresses stay allocated and are free. */
export function removeInterface(world: World, networkInterface: NetworkInterface): World {
  const free = unbindAll(world, networkInterface);
  return { ...free, interfaces: withoutEntry(free.interfaces, networkInterface.id) };
}

/** A world in which none of the interface's private IPs has an address. */
function unbindAll(world: World, networkInterface: NetworkInterface): World {
  return addressesOf(world, networkInterface).reduce((current, address) => unbind(current, address), world);
}

function addressesOf(world: World, networkInterface: NetworkInterface): Address[] {
  const onSingleIps = networkInterface.privateIps.flatMap((ip) => holderOf(world, networkInterface.id, ip) ?? []);
  if (networkInterface.prefixes.length === 0) return onSingleIps;
  // Addresses of a prefix are not listed one by one: look at each of its 16.
  const onPrefixes = networkInterface.prefixes
    .flatMap(addressesInPrefix)
    .flatMap((ip) => holderOf(world, networkInterface.id, ip) ?? []);
  return [...onSingleIps, ...onPrefixes];
}

function addressesInPrefix(prefix: string): string[] {
  const [first = ''] = prefix.split('/');
  const octets = first.split('.');
  const start = Number(octets[3]) & 0xf0;
  return Array.from({ length: 16 }, (_unused, offset) => [...octets.slice(0, 3), start + offset].join('.'));
}

/** Whether the private IP can hold an address on this interface: primary, secondary or inside a delegated prefix. */
export function hasPrivateIp(networkInterface: NetworkInterface, privateIp: string): boolean {
  return (
    networkInterface.privateIps.includes(privateIp) ||
    networkInterface.prefixes.some((prefix) => addressesInPrefix(prefix).includes(privateIp))
  );
}
