import assert from 'node:assert/strict';
import type { CaseDefinition } from './contract-case.ts';
import { addInstances, attachFirst, detach, needed, POOL, resolve } from './steps.ts';

export const DETACH_CASES: readonly CaseDefinition[] = [
  {
    id: 'detached-is-free',
    name: 'detaches: target and address are free for others, and doing it again is done',
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      await world.addSupply({ tags: POOL, count: 1 });
      const { attachment } = await attachFirst(world, needed(one));
      await detach(world, attachment);
      assert.equal(await world.ipOn(needed(one)), undefined);
      assert.equal((await resolve(world, needed(one))).holding, undefined);
      await detach(world, attachment);
      await attachFirst(world, needed(two));
    },
  },
  {
    id: 'detaching-what-is-gone',
    name: 'B23: detaching what somebody else has detached is done',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      const { attachment } = await attachFirst(world, needed(ref));
      await world.vacate(needed(ref));
      await detach(world, attachment);
      await attachFirst(world, needed(ref));
    },
  },
  {
    id: 'detaching-from-a-gone-instance',
    name: 'B23: detaching from an instance that is gone is done, and the address is free',
    abilities: ['removeInstance'],
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      await world.addSupply({ tags: POOL, count: 1 });
      const { attachment } = await attachFirst(world, needed(one));
      await world.removeInstance?.(needed(one));
      await detach(world, attachment);
      await attachFirst(world, needed(two));
    },
  },
  {
    id: 'old-attachment-cannot-hurt-a-newer',
    name: 'B23: detaching by an old attachment leaves a newer one on the same target alone',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      const old = await attachFirst(world, needed(ref));
      await detach(world, old.attachment);
      const newer = await attachFirst(world, needed(ref));
      assert.notEqual(newer.attachment.id, old.attachment.id);
      await detach(world, old.attachment);
      assert.equal(await world.ipOn(needed(ref)), newer.ip);
    },
  },
  {
    id: 'old-attachment-cannot-hurt-a-foreign',
    name: "B23: detaching by an old attachment leaves somebody else's address on the target alone",
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      const { attachment } = await attachFirst(world, needed(ref));
      await world.occupy(needed(ref));
      const theirs = await world.ipOn(needed(ref));
      await detach(world, attachment);
      assert.equal(await world.ipOn(needed(ref)), theirs);
    },
  },
];
