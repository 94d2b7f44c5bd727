import assert from 'node:assert/strict';
import type { AttachRequest } from '../provider.ts';
import type { CaseDefinition } from './contract-case.ts';
import type { ContractWorld, InstanceRef } from './harness.ts';
import type { Attached } from './steps.ts';
import {
  addInstances,
  attach,
  attachFirst,
  candidatesFor,
  failsWith,
  needed,
  POOL,
  requestFor,
  resolve,
} from './steps.ts';

const RACERS = 6;

export const RACE_CASES: readonly CaseDefinition[] = [
  {
    id: 'one-place-many-claims',
    name: 'B08, B65: of many at once for the last address one gets it; the others fail and leave no residue',
    run: async (world) => {
      const refs = await addInstances(world, RACERS);
      await world.addSupply({ tags: POOL, count: 1 });
      const requests = await Promise.all(refs.map((ref) => requestFor(world, ref)));
      const attached = await race(world, requests);
      assert.equal(attached.length, 1);
      assert.equal((await occupied(world, refs)).length, 1);
      const losers = await emptyOf(world, refs);
      await world.addSupply({ tags: POOL, count: losers.length });
      for (const ref of losers) await attachFirst(world, ref);
      assert.equal(new Set(await occupied(world, refs)).size, RACERS);
    },
  },
  {
    id: 'many-places-many-claims',
    name: 'B08: many at once, each with a candidate of its own, get different addresses',
    run: async (world) => {
      const refs = await addInstances(world, RACERS);
      await world.addSupply({ tags: POOL, count: RACERS });
      const requests = await Promise.all(
        refs.map(async (ref, turn): Promise<AttachRequest> => {
          const target = await resolve(world, ref);
          const candidates = await candidatesFor(world, target);
          return { target, candidate: needed(candidates[turn] ?? candidates[0]) };
        }),
      );
      const attached = await race(world, requests);
      assert.equal(attached.length, RACERS);
      assert.deepEqual((await occupied(world, refs)).toSorted(), attached.map(({ ip }) => ip).toSorted());
    },
  },
  {
    id: 'one-target-many-requests',
    name: 'B20: the same request many times at once puts one address on the target',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 3 });
      const request = await requestFor(world, needed(ref));
      const attached = await Promise.all(Array.from({ length: RACERS }, () => attach(world, request)));
      const ip = await world.ipOn(needed(ref));
      assert.deepEqual(new Set(attached.map((one) => one.ip)), new Set([ip]));
    },
  },
  {
    id: 'stale-read-is-not-believed',
    name: 'B47: an address that a stale read shows as free is not taken from who has it',
    features: ['addresses'],
    abilities: ['staleReads', 'freshReads'],
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      await world.addSupply({ tags: POOL, count: 1 });
      await world.staleReads?.();
      const { ip } = await attachFirst(world, needed(one));
      await failsWith(attach(world, await requestFor(world, needed(two))), 'conflict');
      await world.freshReads?.();
      assert.equal(await world.ipOn(needed(one)), ip);
      assert.equal((await resolve(world, needed(one))).holding?.ip, ip);
    },
  },
];

/** All requests at once, step by step; those that fail do so because others were faster. */
async function race(world: ContractWorld, requests: readonly AttachRequest[]): Promise<readonly Attached[]> {
  const outcomes = await Promise.all(
    requests.map(async (request) => {
      const attached = attach(world, request);
      await attached.catch(() => failsWith(attached, 'conflict', 'exhausted', 'inUse'));
      return attached.catch(() => undefined);
    }),
  );
  return outcomes.filter((outcome) => outcome !== undefined);
}

async function occupied(world: ContractWorld, refs: readonly InstanceRef[]): Promise<readonly string[]> {
  return (await Promise.all(refs.map((ref) => world.ipOn(ref)))).filter((ip) => ip !== undefined);
}

async function emptyOf(world: ContractWorld, refs: readonly InstanceRef[]): Promise<readonly InstanceRef[]> {
  const ips = await Promise.all(refs.map((ref) => world.ipOn(ref)));
  return refs.filter((_, turn) => ips[turn] === undefined);
}
