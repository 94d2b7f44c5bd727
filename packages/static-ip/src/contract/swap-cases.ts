import assert from 'node:assert/strict';
import type { CaseDefinition } from './contract-case.ts';
import { addInstances, attach, attachFirst, failsWith, list, needed, POOL, requestFor } from './steps.ts';

const OLD = { pool: 'old' };

export const SWAP_CASES: readonly CaseDefinition[] = [
  {
    id: 'swaps-what-is-expected',
    name: 'replaces the address that the caller expects on the target, which is free afterwards',
    run: async (world) => {
      const [ref, other] = await addInstances(world, 2);
      await world.addSupply({ tags: OLD, count: 1 });
      await world.addSupply({ tags: POOL, count: 1 });
      const old = await attachFirst(world, needed(ref), OLD);
      const request = await requestFor(world, needed(ref));
      const { ip } = await attach(world, { ...request, expected: request.target.holding });
      assert.notEqual(ip, old.ip);
      assert.equal(await world.ipOn(needed(ref)), ip);
      await attachFirst(world, needed(other), OLD);
    },
  },
  {
    id: 'swap-of-another-expected-refused',
    name: 'B20: replaces nothing when the target holds something else than expected',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: OLD, count: 1 });
      await world.addSupply({ tags: POOL, count: 1 });
      const { attachment } = await attachFirst(world, needed(ref), OLD);
      await world.occupy(needed(ref));
      const theirs = await world.ipOn(needed(ref));
      const request = await requestFor(world, needed(ref));
      await failsWith(attach(world, { ...request, expected: attachment }), 'inUse', 'conflict');
      assert.equal(await world.ipOn(needed(ref)), theirs);
    },
  },
  {
    id: 'swap-into-nothing',
    name: 'B22: a target that no longer holds what is expected is as good: nothing to remove is success',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: OLD, count: 1 });
      await world.addSupply({ tags: POOL, count: 1 });
      const { attachment } = await attachFirst(world, needed(ref), OLD);
      const request = await requestFor(world, needed(ref));
      await world.vacate(needed(ref));
      const { ip } = await attach(world, { ...request, expected: attachment });
      assert.equal(await world.ipOn(needed(ref)), ip);
    },
  },
  {
    id: 'half-way-is-resumed',
    name: 'B22, B65: a step that was accepted and failed is resumed by the same request, without residue',
    abilities: ['failHalfway'],
    run: async (world) => {
      const [ref, other] = await addInstances(world, 2);
      await world.addSupply({ tags: OLD, count: 1 });
      await world.addSupply({ tags: POOL, count: 1 });
      await world.failHalfway?.();
      await attachFirst(world, needed(ref), OLD);
      const request = await requestFor(world, needed(ref));
      await world.failHalfway?.();
      const { ip } = await attach(world, { ...request, expected: request.target.holding });
      assert.equal(await world.ipOn(needed(ref)), ip);
      const attached = (await list(world)).addresses.filter(({ attachment }) => attachment !== undefined);
      assert.equal(attached.length, 1);
      await attachFirst(world, needed(other), OLD);
    },
  },
];
