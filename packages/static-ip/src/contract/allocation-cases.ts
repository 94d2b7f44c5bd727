import assert from 'node:assert/strict';
import type { Address } from '../address.ts';
import { isIpv4 } from '../ipv4.ts';
import type { CaseDefinition } from './contract-case.ts';
import type { ContractWorld, Tags } from './harness.ts';
import { addInstances, attach, countOf, detach, failsWith, LIVE, list, needed, resolve } from './steps.ts';

const MARKS: Tags = { 'eip.materialize.cloud/eip_uid': 'uid-1', 'eip.materialize.cloud/cluster_uid': 'cluster-1' };

const MORE_MARKS: Tags = { 'eip.materialize.cloud/reclaim_policy': 'Retain' };

export const ALLOCATION_CASES: readonly CaseDefinition[] = [
  {
    id: 'allocated-with-marks',
    name: 'allocates an address that carries its marks from the first moment',
    features: ['allocation'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      const { location } = await resolve(world, needed(ref));
      const address = await allocate(world, location);
      assert.ok(isIpv4(address.ip));
      assert.deepEqual(address.tags, MARKS);
      assert.equal(address.location, location);
      const { addresses } = await list(world, MARKS);
      assert.deepEqual(
        addresses.map(({ id, ip }) => ({ id, ip })),
        [{ id: address.id, ip: address.ip }],
      );
    },
  },
  {
    id: 'released-is-gone',
    name: 'releases an address, and releasing it again is no error',
    features: ['allocation'],
    run: async (world) => {
      const address = await allocate(world);
      await release(world, address);
      assert.deepEqual((await list(world, MARKS)).addresses, []);
      await release(world, address);
    },
  },
  {
    id: 'attached-is-not-released',
    name: 'refuses to release an address while it is attached',
    features: ['allocation'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      const target = await resolve(world, needed(ref));
      const address = await allocate(world, target.location);
      const { attachment, ip } = await attach(world, { candidate: { kind: 'address', address }, target });
      await failsWith(release(world, address), 'inUse');
      assert.equal(await world.ipOn(needed(ref)), ip);
      await detach(world, attachment);
      await release(world, address);
    },
  },
  {
    id: 'lost-allocation-is-found',
    name: 'B46: an allocation whose reply was lost is unknown, happened once, and is found by its marks',
    features: ['allocation'],
    abilities: ['loseReplyOf'],
    run: async (world) => {
      await world.loseReplyOf?.('allocate');
      await failsWith(allocate(world), 'unknown');
      const values = [needed(MARKS['eip.materialize.cloud/eip_uid'])];
      assert.equal(await countOf(world, { by: 'tagValues', key: 'eip.materialize.cloud/eip_uid', values }), 1);
    },
  },
  {
    id: 'marks-are-added',
    name: 'writes more marks on an address, also while it is attached, and again without an effect',
    features: ['allocation'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      const target = await resolve(world, needed(ref));
      const address = await allocate(world, target.location);
      const { ip } = await attach(world, { candidate: { kind: 'address', address }, target });
      for (let times = 0; times < 2; times++) await mark(world, address);
      const { addresses } = await list(world, MARKS);
      assert.deepEqual(
        addresses.map(({ tags }) => tags),
        [{ ...MARKS, ...MORE_MARKS }],
      );
      assert.equal(await world.ipOn(needed(ref)), ip);
    },
  },
  {
    id: 'gone-is-not-marked',
    name: 'says `notFound` when an address that is gone shall be marked',
    features: ['allocation'],
    run: async (world) => {
      const address = await allocate(world);
      await release(world, address);
      await failsWith(mark(world, address), 'notFound');
    },
  },
  {
    id: 'quota-is-a-quota',
    name: "says `quota` when the account's limit is reached",
    features: ['allocation'],
    abilities: ['fillQuota'],
    run: async (world) => {
      await world.fillQuota?.();
      await failsWith(allocate(world), 'quota');
      assert.deepEqual((await list(world, MARKS)).addresses, []);
    },
  },
  {
    id: 'quota-is-counted',
    name: 'counts the addresses in use against the limit',
    features: ['quota', 'allocation'],
    run: async (world) => {
      const before = needed(await world.provider.quota?.(LIVE));
      await allocate(world);
      const after = needed(await world.provider.quota?.(LIVE));
      assert.deepEqual(after, { ...before, used: before.used + 1 });
    },
  },
];

async function allocate(world: ContractWorld, location?: string): Promise<Address> {
  return needed(await world.provider.allocate?.({ tags: MARKS, location }, LIVE));
}

async function mark(world: ContractWorld, address: Address): Promise<void> {
  assert.ok(world.provider.mark !== undefined);
  await world.provider.mark(address, MORE_MARKS, LIVE);
}

async function release(world: ContractWorld, address: Address): Promise<void> {
  assert.ok(world.provider.release !== undefined);
  await world.provider.release(address, LIVE);
}
