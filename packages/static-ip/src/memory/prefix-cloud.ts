import type { Attachment } from '../address.ts';
import type { AttachRequest, AttachStep, DetachStep } from '../provider.ts';
import { addAddress, createShelf } from './controls.ts';
import type { Shelf } from './controls.ts';
import { createFaultScript } from './faults.ts';
import { bind, emptyInventory, holderOf, nextId, poolOf } from './inventory.ts';
import type { StoredAddress } from './inventory.ts';
import { createServer, readsOf, readySeat, refusal } from './memory-cloud.ts';
import type { MemoryCloudOptions, Server } from './memory-cloud.ts';
import { done } from './one-step-cloud.ts';
import { createOperations } from './operations.ts';
import type { Operations } from './operations.ts';
import type { SteppedCloud } from './two-step-cloud.ts';

const OPERATION_MS = 100;

/** What the cloud has for each seat besides the inventory: a configuration that failed stays, and blocks the next. */
type BrokenSeats = Set<string>;

interface PrefixServer extends Server {
  readonly operations: Operations;
  readonly broken: BrokenSeats;
}

/**
 * A cloud that makes an address out of a prefix when it is attached, and takes it back when it is detached (Azure's
 * public IP prefixes are such). It accepts every request with success, and only at the end of the operation says whether
 * there was an address left; a failed one leaves a broken configuration on the seat, which the provider clears away.
 */
export function createPrefixCloud({ clock, operationMs = OPERATION_MS }: MemoryCloudOptions): SteppedCloud {
  const faults = createFaultScript(clock);
  const shelf = createShelf(emptyInventory(), faults);
  const operations = createOperations(clock, operationMs);
  const broken: BrokenSeats = new Set();
  const { settle } = operations;
  return {
    ...shelf.controls,
    ipOn: (ref) => {
      settle();
      return shelf.controls.ipOn(ref);
    },
    detachOutside: (addressId) => shelf.inventory.addresses.delete(addressId),
    removeInstance: (instanceId) => removeInstance(shelf, instanceId),
    failOperations: (times) => operations.failNext(times),
    provider: ({ fence } = {}) => {
      const server: PrefixServer = { ...createServer(shelf, faults, fence), operations, broken };
      return {
        name: 'memory-prefix',
        capabilities: {
          podTargets: true,
          atomicSwap: false,
          createsFromPool: true,
          allocation: false,
          quota: false,
          routes: false,
        },
        ...readsOf(server, { podTargets: true, settle }),
        attach: (request, options) => server.serve('attach', options, () => attach(server, request)),
        detach: (attachment, options) => server.serve('detach', options, () => detach(server, attachment)),
      };
    },
  };
}

function attach(server: PrefixServer, request: AttachRequest): AttachStep {
  const { operations, shelf } = server;
  const seat = readySeat(server, request);
  const poolId = poolIdOf(request);
  const leftMs = operations.leftMs(seat.id);
  if (leftMs !== undefined) return { state: 'again', afterMs: leftMs };
  if (server.broken.delete(seat.id) && freePlaces(server, poolId) <= 0) {
    throw refusal('exhausted', 'the prefix has no address left', poolId);
  }
  const holder = holderOf(shelf.inventory, seat.id);
  if (holder === undefined) return { state: 'again', afterMs: startMaking(server, { seatId: seat.id, poolId }) };
  if (isOfPool(holder, poolId)) return done(shelf.inventory, holder);
  if (holder.attachedTo?.id !== request.expected?.id) {
    throw refusal('inUse', 'the target holds another address', seat.id);
  }
  return { state: 'again', afterMs: startDeleting(server, holder) };
}

/** Accepted whatever is left; decided at the end. */
function startMaking(
  server: PrefixServer,
  { seatId, poolId }: { readonly seatId: string; readonly poolId: string },
): number {
  const { operations, broken, shelf } = server;
  const { inventory } = shelf;
  if (freePlaces(server, poolId) <= 0) throw refusal('exhausted', 'the prefix has no address left', poolId);
  return operations.start(seatId, {
    kind: 'add',
    addressId: poolId,
    fail: () => broken.add(seatId),
    finish: () => {
      const pool = inventory.pools.get(poolId);
      if (pool === undefined || freePlaces(server, poolId) <= 0 || !inventory.seats.has(seatId)) {
        broken.add(seatId);
        return;
      }
      const { tags, location } = pool;
      const id = nextId(inventory, `${poolId}/address`);
      bind(inventory, addAddress(inventory, { id, tags, location, reserved: undefined }), seatId);
    },
  });
}

function startDeleting({ operations, shelf }: PrefixServer, holder: StoredAddress): number {
  return operations.start(holder.attachedTo?.seatId ?? '', {
    kind: 'delete',
    addressId: holder.id,
    finish: () => shelf.inventory.addresses.delete(holder.id),
  });
}

function detach(server: PrefixServer, attachment: Attachment): DetachStep {
  const { inventory } = server.shelf;
  const holder = [...inventory.addresses.values()].find(({ attachedTo }) => attachedTo?.id === attachment.id);
  if (holder === undefined) return { state: 'done' };
  const leftMs = server.operations.leftMs(holder.attachedTo?.seatId ?? '');
  return { state: 'again', afterMs: leftMs ?? startDeleting(server, holder) };
}

function freePlaces({ shelf: { inventory } }: PrefixServer, poolId: string): number {
  const pool = inventory.pools.get(poolId);
  if (pool === undefined) throw refusal('conflict', 'the prefix is gone', poolId);
  return poolOf(inventory, pool).free;
}

function poolIdOf({ candidate }: AttachRequest): string {
  if (candidate.kind === 'pool') return candidate.pool.id;
  throw refusal('unsupported', 'this cloud attaches no address that exists', candidate.address.id);
}

function isOfPool(address: StoredAddress, poolId: string): boolean {
  return address.id.startsWith(`${poolId}/`);
}

/** An address made for a seat goes with it. */
function removeInstance({ inventory, controls }: Shelf, instanceId: string): void {
  const seats = new Set(
    [...inventory.seats.values()].filter((seat) => seat.instanceId === instanceId).map(({ id }) => id),
  );
  for (const { id, attachedTo } of inventory.addresses.values()) {
    if (seats.has(attachedTo?.seatId ?? '')) inventory.addresses.delete(id);
  }
  controls.removeInstance(instanceId);
}
