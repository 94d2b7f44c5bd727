import type { Address, Attachment, Pool, Selection } from '../address.ts';
import { StaticIpError } from '../errors.ts';
import type { StaticIpErrorCode } from '../errors.ts';
import { isIpv4 } from '../ipv4.ts';
import type { Listing } from '../provider.ts';
import { assertSelective, isSelected } from '../selection.ts';
import { targetRefKey } from '../target.ts';
import type { Resolution, TargetRef } from '../target.ts';

/** A private address on an interface: the place of one public address. */
export interface Seat {
  readonly id: string;
  readonly instanceId: string;
  readonly interfaceId: string;
  readonly privateIp: string;
  readonly isPrimary: boolean;
  readonly location: string | undefined;
  readonly network: string;
  readonly automaticIp: string | undefined;
  /** The instance is still starting: its seats can be resolved, and take no address. */
  readonly isPending: boolean;
}

/** An address as the cloud keeps it. */
export interface StoredAddress extends Omit<Address, 'attachment'> {
  readonly attachedTo: { readonly id: string; readonly seatId: string } | undefined;
}

/** All that a cloud holds. Values are replaced, never changed, so that a copy of the maps is a snapshot. */
export interface Inventory {
  readonly seats: Map<string, Seat>;
  readonly addresses: Map<string, StoredAddress>;
  readonly pools: Map<string, Omit<Pool, 'free'>>;
  /** Networks that do not lead to the internet. */
  readonly closed: Set<string>;
  /** Ids and addresses count up, so that equal scripts give equal worlds. */
  serial: number;
}

/** Makes a cloud with nothing in it. */
export function emptyInventory(): Inventory {
  return { seats: new Map(), addresses: new Map(), pools: new Map(), closed: new Set(), serial: 0 };
}

/** The inventory as it is now, untouched by what comes. */
export function snapshotOf(inventory: Inventory): Inventory {
  const { seats, addresses, pools, closed, serial } = inventory;
  return {
    seats: new Map(seats),
    addresses: new Map(addresses),
    pools: new Map(pools),
    closed: new Set(closed),
    serial,
  };
}

/** A new id, in an order that sorts as it counts. */
export function nextId(inventory: Inventory, prefix: string): string {
  inventory.serial += 1;
  return `${prefix}-${String(inventory.serial).padStart(6, '0')}`;
}

/** A new address of a range reserved for documentation and tests: `net` is its first two bytes. */
export function nextIp(inventory: Inventory, net: '10.0' | '198.18' | '198.19'): string {
  inventory.serial += 1;
  return `${net}.${Math.floor(inventory.serial / 250) % 250}.${(inventory.serial % 250) + 1}`;
}

/** The address on a seat, if there is one. */
export function holderOf(inventory: Inventory, seatId: string): StoredAddress | undefined {
  return [...inventory.addresses.values()].find(({ attachedTo }) => attachedTo?.seatId === seatId);
}

/** Puts an address on a seat, without asking whether it may. */
export function bind(inventory: Inventory, address: StoredAddress, seatId: string): StoredAddress {
  const bound = { ...address, attachedTo: { id: nextId(inventory, 'assoc'), seatId } };
  inventory.addresses.set(address.id, bound);
  return bound;
}

/** Frees an address. */
export function unbind(inventory: Inventory, address: StoredAddress): void {
  inventory.addresses.set(address.id, { ...address, attachedTo: undefined });
}

/** The places of a pool that nobody has, by the number of addresses made from it. */
export function poolOf(inventory: Inventory, pool: Omit<Pool, 'free'>): Pool {
  const used = [...inventory.addresses.values()].filter(({ id }) => id.startsWith(`${pool.id}/`)).length;
  return { ...pool, tags: { ...pool.tags }, free: pool.total - used };
}

/** What a read of addresses answers. @throws StaticIpError `invalid` for an empty tag selection */
export function listingOf(inventory: Inventory, selection: Selection): Listing {
  assertSelective(selection);
  const addresses = [...inventory.addresses.values()].filter((address) => isSelected(selection, address));
  const pools = [...inventory.pools.values()].filter((pool) => isSelected(selection, pool));
  return {
    addresses: addresses.map((address) => viewOf(inventory, address)).toSorted(byId),
    pools: pools.map((pool) => poolOf(inventory, pool)).toSorted(byId),
  };
}

/** An address as callers see it. */
export function viewOf(inventory: Inventory, { attachedTo, ...address }: StoredAddress): Address {
  const attachment = attachedTo && attachmentOf(inventory, { ...address, attachedTo });
  return { ...address, tags: { ...address.tags }, attachment };
}

/** The attachment of an address that has one. */
export function attachmentOf(inventory: Inventory, address: StoredAddress): Attachment | undefined {
  const seat = inventory.seats.get(address.attachedTo?.seatId ?? '');
  if (address.attachedTo === undefined) return undefined;
  return {
    id: address.attachedTo.id,
    addressId: address.id,
    ip: address.ip,
    interfaceId: seat?.interfaceId,
    privateIp: seat?.privateIp,
    instanceId: seat?.instanceId,
  };
}

/** Where a ref is, and what is there. */
export function resolutionOf(inventory: Inventory, ref: TargetRef, podTargets: boolean): Resolution {
  if (ref.kind === 'privateIp' && !podTargets) return fail(ref, 'unsupported', 'this cloud serves instances only');
  if (ref.kind === 'privateIp' && !isIpv4(ref.privateIp)) return fail(ref, 'invalid', 'no IPv4 address');
  const seat = [...inventory.seats.values()].find((one) => isSeatOf(one, ref));
  if (seat === undefined) return fail(ref, 'notFound', 'there is no such target');
  const holder = holderOf(inventory, seat.id);
  const { id, interfaceId, privateIp, instanceId, location, network, automaticIp } = seat;
  return {
    ref,
    target: {
      ref,
      id,
      interfaceId,
      privateIp,
      instanceId,
      location,
      network,
      holding: holder && attachmentOf(inventory, holder),
      automatic: holder === undefined && automaticIp !== undefined ? { ip: automaticIp } : undefined,
    },
  };
}

function isSeatOf(seat: Seat, ref: TargetRef): boolean {
  if (ref.kind === 'instance') return seat.isPrimary && seat.instanceId === ref.instanceId;
  if (ref.privateIp !== seat.privateIp) return false;
  return ref.interfaceId === undefined ? seat.instanceId === ref.instanceId : seat.interfaceId === ref.interfaceId;
}

function fail(ref: TargetRef, code: StaticIpErrorCode, message: string): Resolution {
  return { ref, error: new StaticIpError(code, message, { fields: { target: targetRefKey(ref) } }) };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
