import type { Address } from '../address.ts';
import type { AllocateRequest, AttachRequest, AttachStep, DetachStep, InternetRoute } from '../provider.ts';
import { addAddress, createShelf } from './controls.ts';
import { createFaultScript } from './faults.ts';
import { attachmentOf, bind, emptyInventory, holderOf, unbind, viewOf } from './inventory.ts';
import type { Inventory, StoredAddress } from './inventory.ts';
import { createServer, readsOf, readySeat, refusal } from './memory-cloud.ts';
import type { MemoryCloud, MemoryCloudOptions, Server } from './memory-cloud.ts';

const QUOTA = 1_000;

/** A cloud with every capability but pools: each change is one call, and a swap leaves no gap. Like EC2, but stricter. */
export function createMemoryCloud({ clock, quota = QUOTA }: MemoryCloudOptions): MemoryCloud {
  const faults = createFaultScript(clock);
  const shelf = createShelf(emptyInventory(), faults);
  return {
    ...shelf.controls,
    provider: ({ fence } = {}) => {
      const server = createServer(shelf, faults, fence);
      const { inventory } = shelf;
      return {
        name: 'memory',
        capabilities: {
          podTargets: true,
          atomicSwap: true,
          createsFromPool: false,
          allocation: true,
          quota: true,
          routes: true,
        },
        ...readsOf(server, { podTargets: true }),
        attach: (request, options) => server.serve('attach', options, () => attach(server, request)),
        detach: ({ id }, options) => server.serve('detach', options, () => detach(inventory, id)),
        allocate: (request, options) =>
          server.serve('allocate', options, () => allocate(inventory, { quota, ...request })),
        release: ({ id }, options) => server.serve('release', options, () => release(inventory, id)),
        internetRoutes: (networks, options) =>
          server.serve('internetRoutes', options, () => networks.map((network) => routeOf(shelf.view(), network))),
        mark: ({ id }, tags, options) => server.serve('mark', options, () => mark(inventory, id, tags)),
        quota: (options) => server.serve('quota', options, () => ({ used: inventory.addresses.size, limit: quota })),
      };
    },
  };
}

function attach(server: Server, request: AttachRequest): AttachStep {
  const { inventory } = server.shelf;
  const seat = readySeat(server, request);
  const address = freeAddress(inventory, request, seat.id);
  const holder = holderOf(inventory, seat.id);
  if (holder?.id === address.id) return done(inventory, holder);
  if (holder !== undefined && holder.attachedTo?.id !== request.expected?.id) {
    throw refusal('inUse', 'the target holds another address', seat.id);
  }
  if (address.location !== seat.location && address.location !== undefined) {
    throw refusal('conflict', 'the address is of another location', address.id);
  }
  if (holder !== undefined) unbind(inventory, holder);
  return done(inventory, bind(inventory, address, seat.id));
}

/** The address of a request, unless somebody else has it. @throws StaticIpError `conflict`, `inUse`, `unsupported` */
export function freeAddress(inventory: Inventory, { candidate }: AttachRequest, seatId: string): StoredAddress {
  if (candidate.kind === 'pool') throw refusal('unsupported', 'this cloud has no pools', candidate.pool.id);
  const address = inventory.addresses.get(candidate.address.id);
  if (address === undefined) throw refusal('conflict', 'the address is gone', candidate.address.id);
  if (address.reserved !== undefined) throw refusal('inUse', 'the address is reserved', address.id);
  if (address.attachedTo !== undefined && address.attachedTo.seatId !== seatId) {
    throw refusal('conflict', 'the address is attached elsewhere', address.id);
  }
  return address;
}

/** The answer for an address that is where it should be. */
export function done(inventory: Inventory, address: StoredAddress): AttachStep {
  const attachment = attachmentOf(inventory, address);
  if (attachment === undefined) throw refusal('internal', 'a bound address has no attachment', address.id);
  return { state: 'done', ip: address.ip, attachment };
}

function routeOf({ closed }: Inventory, network: string): InternetRoute {
  if (!closed.has(network)) return { network, isOpen: true };
  return { network, isOpen: false, why: `the network ${network} is closed` };
}

function detach(inventory: Inventory, attachmentId: string): DetachStep {
  const address = [...inventory.addresses.values()].find(({ attachedTo }) => attachedTo?.id === attachmentId);
  if (address !== undefined) unbind(inventory, address);
  return { state: 'done' };
}

/** Makes an address. @throws StaticIpError `quota` */
export function allocate(
  inventory: Inventory,
  { tags, location, quota }: AllocateRequest & { readonly quota: number },
): Address {
  if (inventory.addresses.size >= quota) throw refusal('quota', 'no more addresses are allowed', String(quota));
  return viewOf(inventory, addAddress(inventory, { tags, location, reserved: undefined }));
}

/** Adds tags to an address. @throws StaticIpError `notFound` */
export function mark(inventory: Inventory, id: string, tags: Readonly<Record<string, string>>): void {
  const address = inventory.addresses.get(id);
  if (address === undefined) throw refusal('notFound', 'the address is gone', id);
  inventory.addresses.set(id, { ...address, tags: { ...address.tags, ...tags } });
}

/** Gives an address back; one that is gone already is. @throws StaticIpError `inUse` */
export function release(inventory: Inventory, id: string): void {
  if (inventory.addresses.get(id)?.attachedTo !== undefined) throw refusal('inUse', 'the address is attached', id);
  inventory.addresses.delete(id);
}
