import type { Pool } from '../address.ts';
import type { TargetRef } from '../target.ts';
import type { Fault, FaultScript } from './faults.ts';
import { bind, holderOf, nextId, nextIp, resolutionOf, snapshotOf, unbind } from './inventory.ts';
import type { Inventory, Seat, StoredAddress } from './inventory.ts';

/** An instance to be. */
export interface NewInstance {
  readonly location?: string | undefined;
  readonly hasAutomaticIp?: boolean | undefined;
  readonly isPending?: boolean | undefined;
}

/** Addresses to be, or one pool with as many places. */
export interface NewSupply {
  readonly tags: Readonly<Record<string, string>>;
  readonly count: number;
  readonly location?: string | undefined;
  readonly reserved?: string | undefined;
}

/** What a test can do to a cloud in memory, as its owner or as somebody else in the account. Not a call: no fault hits. */
export interface MemoryControls {
  /** @returns the ref of its primary private address */
  addInstance(instance?: NewInstance): Extract<TargetRef, { kind: 'instance' }>;
  /** Another private address on the interface of an instance. */
  addPod(instanceId: string): Extract<TargetRef, { kind: 'privateIp' }>;
  /** The instance has started: its seats take addresses. */
  startInstance(instanceId: string): void;
  /** The instance and its seats go away; addresses on them become free. */
  removeInstance(instanceId: string): void;
  /** @returns ids of addresses */
  addAddresses(supply: NewSupply): readonly string[];
  /** @returns the id of a pool */
  addPool(supply: NewSupply): string;
  /** Somebody else attaches an address, moving it and putting off what is there. */
  attachOutside(addressId: string, ref: TargetRef): void;
  detachOutside(addressId: string): void;
  /** The network of the target leads no longer to the internet. */
  closeNetwork(ref: TargetRef): void;
  /** The public address on a target, an automatic one apart. */
  ipOn(ref: TargetRef): string | undefined;
  addressIds(): readonly string[];
  /** The public address of an id. */
  ipOf(addressId: string): string | undefined;
  /** Reads show the world of now until `thawReads`. */
  freezeReads(): void;
  thawReads(): void;
  inject(fault: Fault): void;
}

/** A cloud's inventory, and the view of it that reads get. */
export interface Shelf {
  readonly inventory: Inventory;
  view(): Inventory;
  readonly controls: MemoryControls;
}

/** Makes the controls over an inventory. */
export function createShelf(inventory: Inventory, faults: FaultScript): Shelf {
  let frozen: Inventory | undefined;
  const controls: MemoryControls = {
    addInstance: (instance = {}) => {
      const seat = newSeat(inventory, instance);
      inventory.seats.set(seat.id, seat);
      return { kind: 'instance', instanceId: seat.instanceId };
    },
    addPod: (instanceId) => {
      const primary = seatOf(inventory, { kind: 'instance', instanceId });
      const privateIp = nextIp(inventory, '10.0');
      const id = `${primary.interfaceId}/${privateIp}`;
      inventory.seats.set(id, { ...primary, id, privateIp, isPrimary: false, automaticIp: undefined });
      return { kind: 'privateIp', instanceId, privateIp };
    },
    startInstance: (instanceId) => {
      for (const seat of seatsOf(inventory, instanceId)) inventory.seats.set(seat.id, { ...seat, isPending: false });
    },
    removeInstance: (instanceId) => {
      for (const { id } of seatsOf(inventory, instanceId)) {
        const holder = holderOf(inventory, id);
        if (holder !== undefined) unbind(inventory, holder);
        inventory.seats.delete(id);
      }
    },
    addAddresses: ({ count, ...supply }) => Array.from({ length: count }, () => addAddress(inventory, supply).id),
    addPool: ({ tags, count, location }) => {
      const pool: Omit<Pool, 'free'> = { id: nextId(inventory, 'prefix'), tags, location, total: count };
      inventory.pools.set(pool.id, pool);
      return pool.id;
    },
    attachOutside: (addressId, ref) => {
      const seat = seatOf(inventory, ref);
      const inTheWay = holderOf(inventory, seat.id);
      if (inTheWay !== undefined) unbind(inventory, inTheWay);
      bind(inventory, addressOf(inventory, addressId), seat.id);
    },
    detachOutside: (addressId) => unbind(inventory, addressOf(inventory, addressId)),
    closeNetwork: (ref) => void inventory.closed.add(seatOf(inventory, ref).network),
    ipOn: (ref) => holderOf(inventory, seatOf(inventory, ref).id)?.ip,
    addressIds: () => [...inventory.addresses.keys()].toSorted(),
    ipOf: (addressId) => inventory.addresses.get(addressId)?.ip,
    freezeReads: () => {
      frozen = snapshotOf(inventory);
    },
    thawReads: () => {
      frozen = undefined;
    },
    inject: (fault) => faults.add(fault),
  };
  return { inventory, controls, view: () => frozen ?? inventory };
}

/** Puts a new, free address into the inventory. */
export function addAddress(
  inventory: Inventory,
  address: Pick<StoredAddress, 'tags' | 'location' | 'reserved'> & { readonly id?: string | undefined },
): StoredAddress {
  const id = address.id ?? nextId(inventory, 'address');
  const stored: StoredAddress = {
    id,
    ip: nextIp(inventory, '198.18'),
    tags: { ...address.tags },
    location: address.location,
    reserved: address.reserved,
    attachedTo: undefined,
  };
  inventory.addresses.set(id, stored);
  return stored;
}

function newSeat(inventory: Inventory, { location, hasAutomaticIp, isPending = false }: NewInstance): Seat {
  const instanceId = nextId(inventory, 'instance');
  const interfaceId = nextId(inventory, 'interface');
  const privateIp = nextIp(inventory, '10.0');
  const automaticIp = hasAutomaticIp === true ? nextIp(inventory, '198.19') : undefined;
  const id = `${interfaceId}/${privateIp}`;
  const network = nextId(inventory, 'network');
  return { id, instanceId, interfaceId, privateIp, isPrimary: true, location, network, automaticIp, isPending };
}

function seatOf(inventory: Inventory, ref: TargetRef): Seat {
  const resolution = resolutionOf(inventory, ref, true);
  const seat = 'target' in resolution ? inventory.seats.get(resolution.target.id) : undefined;
  if (seat === undefined) throw new Error(`the cloud in memory has no target ${JSON.stringify(ref)}`);
  return seat;
}

function seatsOf(inventory: Inventory, instanceId: string): readonly Seat[] {
  return [...inventory.seats.values()].filter((seat) => seat.instanceId === instanceId);
}

function addressOf(inventory: Inventory, id: string): StoredAddress {
  const address = inventory.addresses.get(id);
  if (address === undefined) throw new Error(`the cloud in memory has no address ${id}`);
  return address;
}
