import type { Attachment } from '../address.ts';
import type { AttachRequest, AttachStep, DetachStep } from '../provider.ts';
import { createShelf } from './controls.ts';
import { createFaultScript } from './faults.ts';
import { bind, emptyInventory, holderOf, unbind } from './inventory.ts';
import type { StoredAddress } from './inventory.ts';
import { createServer, readsOf, readySeat, refusal } from './memory-cloud.ts';
import type { MemoryCloud, MemoryCloudOptions, Server } from './memory-cloud.ts';
import { allocate, done, freeAddress, mark, release } from './one-step-cloud.ts';
import { createOperations } from './operations.ts';
import type { Operations } from './operations.ts';

const OPERATION_MS = 100;
const QUOTA = 1_000;

/** A cloud whose changes can be told to fail half-way. */
export interface SteppedCloud extends MemoryCloud {
  /** The next operations are accepted, take their time, and end without an effect. */
  failOperations(times: number): void;
}

/**
 * A cloud with one public address for each interface, which must be deleted before another can be added, both as
 * operations that take a while (GCP's access configs are such). No step is remembered by the provider: each call looks
 * at what is there and takes the next one.
 */
export function createTwoStepCloud({
  clock,
  quota = QUOTA,
  operationMs = OPERATION_MS,
}: MemoryCloudOptions): SteppedCloud {
  const faults = createFaultScript(clock);
  const shelf = createShelf(emptyInventory(), faults);
  const operations = createOperations(clock, operationMs);
  const { inventory } = shelf;
  const { settle } = operations;
  return {
    ...shelf.controls,
    ipOn: (ref) => {
      settle();
      return shelf.controls.ipOn(ref);
    },
    failOperations: (times) => operations.failNext(times),
    provider: ({ fence } = {}) => {
      const server = createServer(shelf, faults, fence);
      return {
        name: 'memory-two-step',
        capabilities: {
          podTargets: false,
          atomicSwap: false,
          createsFromPool: false,
          allocation: true,
          quota: false,
          routes: false,
        },
        ...readsOf(server, { podTargets: false, settle }),
        attach: (request, options) => server.serve('attach', options, () => attach(server, operations, request)),
        detach: (attachment, options) => server.serve('detach', options, () => detach(server, operations, attachment)),
        allocate: (request, options) =>
          server.serve('allocate', options, () => allocate(inventory, { quota, ...request })),
        release: ({ id }, options) => server.serve('release', options, () => release(inventory, id)),
        mark: ({ id }, tags, options) => server.serve('mark', options, () => mark(inventory, id, tags)),
      };
    },
  };
}

function attach(server: Server, operations: Operations, request: AttachRequest): AttachStep {
  const { inventory } = server.shelf;
  const seat = readySeat(server, request);
  const leftMs = operations.leftMs(seat.id);
  if (leftMs !== undefined) return { state: 'again', afterMs: leftMs };
  const address = freeAddress(inventory, request, seat.id);
  const holder = holderOf(inventory, seat.id);
  if (holder?.id === address.id) return done(inventory, holder);
  if (holder === undefined) return startAdd(server, operations, { address, seatId: seat.id });
  if (holder.attachedTo?.id !== request.expected?.id) {
    throw refusal('inUse', 'the interface holds another address', seat.id);
  }
  return startDelete(server, operations, holder);
}

/** The address is taken from the start: two operations cannot have the same one. */
function startAdd(
  { shelf: { inventory } }: Server,
  operations: Operations,
  { address, seatId }: { readonly address: StoredAddress; readonly seatId: string },
): AttachStep {
  const adding = [...inventory.seats.values()].some(({ id }) => operations.isAdding(id, address.id));
  if (adding) throw refusal('conflict', 'the address is being attached elsewhere', address.id);
  const afterMs = operations.start(seatId, {
    kind: 'add',
    addressId: address.id,
    finish: () => {
      const free = inventory.addresses.get(address.id);
      if (free?.attachedTo === undefined && inventory.seats.has(seatId)) bind(inventory, free ?? address, seatId);
    },
  });
  return { state: 'again', afterMs };
}

function startDelete(
  { shelf: { inventory } }: Server,
  operations: Operations,
  holder: StoredAddress,
): { readonly state: 'again'; readonly afterMs: number } {
  const afterMs = operations.start(holder.attachedTo?.seatId ?? '', {
    kind: 'delete',
    addressId: holder.id,
    finish: () => {
      const current = inventory.addresses.get(holder.id);
      if (current?.attachedTo?.id === holder.attachedTo?.id && current !== undefined) unbind(inventory, current);
    },
  });
  return { state: 'again', afterMs };
}

function detach(server: Server, operations: Operations, attachment: Attachment): DetachStep {
  const { inventory } = server.shelf;
  const seat = [...inventory.seats.values()].find(({ interfaceId }) => interfaceId === attachment.interfaceId);
  const leftMs = seat && operations.leftMs(seat.id);
  if (leftMs !== undefined) return { state: 'again', afterMs: leftMs };
  const holder = [...inventory.addresses.values()].find(({ attachedTo }) => attachedTo?.id === attachment.id);
  return holder === undefined ? { state: 'done' } : startDelete(server, operations, holder);
}
