import { bind, hasPrivateIp, holderOf, putAddress, putInterface, removeAddress, unbind } from '../core/bindings.ts';
import { OUTSIDE } from '../core/model.ts';
import type { Address, Association, NetworkInterface, World } from '../core/model.ts';
import { lookUp, withEntry, withoutEntry } from '../core/persistent-map.ts';
import { targetKey } from '../core/model.ts';
import { newPublicIp } from '../core/public-ips.ts';
import { seedWorld } from './seed-networks.ts';
import type { Seeded } from './seed-networks.ts';
import { orderOf } from '../core/seeded-ids.ts';
import type { Ec2State } from '../core/state.ts';

/** An address to be; by default a free one of Amazon's pool in the region's own border group. */
export type NewAddress = Partial<Omit<Address, 'association' | 'order' | 'createdAt'>>;

/** Adds an address, older than any visibility window. `createdBy` is somebody outside unless given. */
export function seedAddress(state: Ec2State, wanted: NewAddress): Seeded<Address> {
  return seedWorld(state, (world, ids) => {
    const address: Address = {
      allocationId: ids.id('eipalloc'),
      publicIp: wanted.publicIp ?? newPublicIp(world, ids),
      borderGroup: state.region,
      pool: 'amazon',
      carrierIp: undefined,
      serviceManaged: undefined,
      heldByInterfaceId: undefined,
      locked: false,
      tags: {},
      createdBy: OUTSIDE,
      foreign: undefined,
      ...wanted,
      association: undefined,
      order: orderOf(state.seed, ids),
      createdAt: Number.NEGATIVE_INFINITY,
    };
    return [putAddress(world, address), address];
  });
}

/** Changes facts of an address behind everybody's back, such as its tags. @throws Error when it is unknown */
export function changeAddress(
  state: Ec2State,
  change: NewAddress & { readonly allocationId: string },
): Seeded<Address> {
  const changed = { ...knownAddress(state.world, change.allocationId), ...change };
  return [{ ...state, world: putAddress(state.world, changed) }, changed];
}

/** Takes an address out of the account, whatever it is used for. @throws Error when it is unknown */
export function dropAddress(state: Ec2State, { allocationId }: { readonly allocationId: string }): Seeded<undefined> {
  return [{ ...state, world: removeAddress(state.world, knownAddress(state.world, allocationId)) }, undefined];
}

/** An association made by the test, in the role of somebody outside unless `by` names an access key. */
export interface OutsideAssociation {
  readonly allocationId: string;
  readonly interfaceId: string;
  /** The primary private IP if absent. */
  readonly privateIp?: string;
  readonly by?: string;
}

/** Associates without asking anybody: moves the address and displaces what is on the target. @throws Error for unknown ids */
export function associateOutside(state: Ec2State, wanted: OutsideAssociation): Seeded<Association> {
  return seedWorld(state, (world, ids) => {
    const target = knownInterface(world, wanted.interfaceId);
    const privateIp = wanted.privateIp ?? target.privateIps[0] ?? '';
    if (!hasPrivateIp(target, privateIp)) throw new Error(`interface ${target.id} has no private IP ${privateIp}`);
    const association: Association = {
      id: ids.id('eipassoc'),
      interfaceId: target.id,
      privateIp,
      by: wanted.by ?? OUTSIDE,
    };
    return [bind(world, knownAddress(world, wanted.allocationId), association), association];
  });
}

/** Frees an address behind everybody's back. @throws Error when it is unknown */
export function disassociateOutside(
  state: Ec2State,
  { allocationId }: { readonly allocationId: string },
): Seeded<undefined> {
  return [{ ...state, world: unbind(state.world, knownAddress(state.world, allocationId)) }, undefined];
}

/** Gives an interface other private IPs; an address on one that goes becomes free. @throws Error when it is unknown */
export function setPrivateIps(
  state: Ec2State,
  wanted: {
    readonly interfaceId: string;
    readonly privateIps?: readonly string[];
    readonly prefixes?: readonly string[];
  },
): Seeded<NetworkInterface> {
  const before = knownInterface(state.world, wanted.interfaceId);
  const after = {
    ...before,
    privateIps: wanted.privateIps ?? before.privateIps,
    prefixes: wanted.prefixes ?? before.prefixes,
  };
  const lost = before.privateIps.filter((ip) => !hasPrivateIp(after, ip));
  const world = lost.reduce((current, ip) => freeIp(current, before.id, ip), state.world);
  return [{ ...state, world: putInterface(world, after) }, after];
}

function freeIp(world: World, interfaceId: string, privateIp: string): World {
  const holder = holderOf(world, interfaceId, privateIp);
  return holder === undefined ? world : unbind(world, holder);
}

/** Moves a secondary private IP to another interface; its address follows it. @throws Error when it is not there */
export function movePrivateIp(
  state: Ec2State,
  { from, to, privateIp }: { readonly from: string; readonly to: string; readonly privateIp: string },
): Seeded<undefined> {
  const source = knownInterface(state.world, from);
  const target = knownInterface(state.world, to);
  if (!source.privateIps.includes(privateIp)) throw new Error(`interface ${from} has no private IP ${privateIp}`);
  const holder = holderOf(state.world, from, privateIp);
  const without = putInterface(state.world, {
    ...source,
    privateIps: source.privateIps.filter((ip) => ip !== privateIp),
  });
  const world = putInterface(without, { ...target, privateIps: [...target.privateIps, privateIp] });
  return [
    {
      ...state,
      world:
        holder?.association === undefined ? world : follow(world, holder, { ...holder.association, interfaceId: to }),
    },
    undefined,
  ];
}

function follow(world: World, address: Address, association: Association): World {
  const left =
    address.association === undefined
      ? world.holders
      : withoutEntry(world.holders, targetKey(address.association.interfaceId, association.privateIp));
  const holders = withEntry(left, targetKey(association.interfaceId, association.privateIp), address.allocationId);
  return putAddress({ ...world, holders }, { ...address, association });
}

function knownAddress(world: World, allocationId: string): Address {
  const address = lookUp(world.addresses, allocationId);
  if (address === undefined) throw new Error(`address ${allocationId} is unknown`);
  return address;
}

function knownInterface(world: World, id: string): NetworkInterface {
  const found = lookUp(world.interfaces, id);
  if (found === undefined) throw new Error(`interface ${id} is unknown`);
  return found;
}
