import assert from 'node:assert/strict';
import type { CaseDefinition } from './contract-case.ts';
import {
  addInstances,
  attach,
  attachFirst,
  failsWith,
  list,
  LIVE,
  needed,
  POOL,
  requestFor,
  resolve,
} from './steps.ts';

export const ATTACH_CASES: readonly CaseDefinition[] = [
  {
    id: 'attached-is-seen',
    name: 'attaches, and a read that begins after that shows it on the address and on the target',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 2 });
      const { ip, attachment } = await attachFirst(world, needed(ref));
      assert.equal(await world.ipOn(needed(ref)), ip);
      const { holding, interfaceId, privateIp } = await resolve(world, needed(ref));
      assert.equal(holding?.id, attachment.id);
      assert.equal(holding?.ip, ip);
      const address = (await list(world)).addresses.find(({ id }) => id === attachment.addressId);
      assert.equal(address?.ip, ip);
      assert.equal(address.attachment?.id, attachment.id);
      assert.deepEqual([address.attachment.interfaceId, address.attachment.privateIp], [interfaceId, privateIp]);
    },
  },
  {
    id: 'repeated-with-new-reads',
    name: 'B20: attaching what is attached already answers done with the same address and attachment',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 2 });
      const request = await requestFor(world, needed(ref));
      const first = await attach(world, request);
      const candidate = (await list(world)).addresses
        .filter(({ id }) => request.candidate.kind === 'address' && id === first.attachment.addressId)
        .map((address) => ({ kind: 'address', address }) as const)[0];
      const again = { candidate: candidate ?? request.candidate, target: await resolve(world, needed(ref)) };
      assert.deepEqual(await attach(world, again), first);
    },
  },
  {
    id: 'repeated-with-the-same-request',
    name: 'B22: attaching with the very request that was done already answers done with the same address',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 2 });
      const request = await requestFor(world, needed(ref));
      const { ip } = await attach(world, request);
      assert.equal((await attach(world, request)).ip, ip);
      assert.equal(await world.ipOn(needed(ref)), ip);
      const { addresses } = await list(world);
      assert.equal(addresses.filter(({ attachment }) => attachment !== undefined).length, 1);
    },
  },
  {
    id: 'not-stolen',
    name: 'B08: an address that went to another target since it was read stays there',
    features: ['addresses'],
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      await world.addSupply({ tags: POOL, count: 1 });
      const late = await requestFor(world, needed(two));
      const { ip } = await attachFirst(world, needed(one));
      await failsWith(attach(world, late), 'conflict');
      assert.equal(await world.ipOn(needed(one)), ip);
      assert.equal(await world.ipOn(needed(two)), undefined);
    },
  },
  {
    id: 'known-elsewhere-is-not-stolen',
    name: 'B08: an address that was read as attached elsewhere stays there',
    features: ['addresses'],
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      await world.addSupply({ tags: POOL, count: 1 });
      const { ip } = await attachFirst(world, needed(one));
      const [address] = (await list(world)).addresses;
      const candidate = { kind: 'address', address: needed(address) } as const;
      const target = await resolve(world, needed(two));
      await failsWith(attach(world, { candidate, target }), 'conflict', 'inUse');
      assert.equal(await world.ipOn(needed(one)), ip);
    },
  },
  {
    id: 'not-displaced',
    name: "B20: somebody else's address on the target stays, and the target is in use",
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      await world.occupy(needed(ref));
      const theirs = await world.ipOn(needed(ref));
      const request = await requestFor(world, needed(ref));
      await failsWith(attach(world, request), 'inUse');
      assert.equal(await world.ipOn(needed(ref)), theirs);
    },
  },
  {
    id: 'not-displaced-unseen',
    name: "B20: somebody else's address that came to the target after it was read stays",
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      const request = await requestFor(world, needed(ref));
      await world.occupy(needed(ref));
      const theirs = await world.ipOn(needed(ref));
      await failsWith(attach(world, request), 'inUse', 'conflict');
      assert.equal(await world.ipOn(needed(ref)), theirs);
    },
  },
  {
    id: 'two-pods-two-addresses',
    name: 'B19: two pods and the primary address of one interface get three addresses',
    features: ['podTargets'],
    abilities: ['addPod'],
    run: async (world) => {
      const [instance] = await addInstances(world, 1);
      const pods = [await world.addPod?.(needed(instance)), await world.addPod?.(needed(instance))].map(needed);
      await world.addSupply({ tags: POOL, count: 3 });
      const ips = new Map<string, string>();
      for (const ref of [...pods, needed(instance)]) ips.set(JSON.stringify(ref), (await attachFirst(world, ref)).ip);
      assert.equal(new Set(ips.values()).size, 3);
      for (const ref of [...pods, needed(instance)]) {
        assert.equal(await world.ipOn(ref), ips.get(JSON.stringify(ref)));
        assert.equal((await resolve(world, ref)).holding?.ip, ips.get(JSON.stringify(ref)));
      }
    },
  },
  {
    id: 'starting-is-not-ready',
    name: 'B18: an instance that is still starting is not ready, and takes the address once it runs',
    abilities: ['addStarting'],
    run: async (world) => {
      const { ref, start } = needed(await world.addStarting?.());
      await world.addSupply({ tags: POOL, count: 1 });
      const request = await requestFor(world, ref);
      await failsWith(attach(world, request), 'notReady');
      await start();
      assert.equal((await attach(world, request)).ip, await world.ipOn(ref));
    },
  },
  {
    id: 'gone-target',
    name: 'B18: a target that went away since it was read takes nothing, and the address stays free',
    abilities: ['removeInstance'],
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      await world.addSupply({ tags: POOL, count: 1 });
      const request = await requestFor(world, needed(one));
      await world.removeInstance?.(needed(one));
      await failsWith(attach(world, request), 'notFound', 'notReady', 'conflict');
      await attachFirst(world, needed(two));
    },
  },
  {
    id: 'reserved-is-not-attached',
    name: 'B10: an address that a service of the cloud keeps is never attached',
    features: ['addresses'],
    abilities: ['addReserved'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addReserved?.(POOL);
      const [address] = (await list(world)).addresses;
      const candidate = { kind: 'address', address: needed(address) } as const;
      const target = await resolve(world, needed(ref));
      await failsWith(world.provider.attach({ candidate, target }, LIVE), 'inUse', 'conflict', 'denied');
      assert.equal(await world.ipOn(needed(ref)), undefined);
    },
  },
];
