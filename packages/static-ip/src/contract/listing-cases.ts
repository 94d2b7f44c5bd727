import assert from 'node:assert/strict';
import { isIpv4 } from '../ipv4.ts';
import type { CaseDefinition } from './contract-case.ts';
import type { Tags } from './harness.ts';
import { addInstances, attachFirst, countOf, failsWith, LIVE, list, POOL } from './steps.ts';

export const LISTING_CASES: readonly CaseDefinition[] = [
  {
    id: 'empty-selection-refused',
    name: 'B05: refuses a selection by no tag at all instead of listing the whole account',
    run: async (world) => {
      await world.addSupply({ tags: POOL, count: 1 });
      await failsWith(world.provider.listAddresses({ by: 'tags', tags: {} }, LIVE), 'invalid');
    },
  },
  {
    id: 'all-tags-must-match',
    name: 'finds what has all tags of the selection, and nothing that lacks one',
    run: async (world) => {
      await world.addSupply({ tags: { pool: 'a', tier: 'gold', other: 'x' }, count: 2 });
      await world.addSupply({ tags: { pool: 'a', tier: 'lead' }, count: 1 });
      await world.addSupply({ tags: { pool: 'a' }, count: 1 });
      assert.equal(await countOf(world, { by: 'tags', tags: { pool: 'a', tier: 'gold' } }), 2);
      assert.equal(await countOf(world, { by: 'tags', tags: { pool: 'a' } }), 4);
      assert.equal(await countOf(world, { by: 'tags', tags: { pool: 'none' } }), 0);
    },
  },
  {
    id: 'wildcards-are-literal',
    name: 'B06: takes *, ?, backslashes and letter case literally',
    run: async (world) => {
      const pools = ['a*', 'ab', 'a?', String.raw`a\*`, String.raw`tail\\`, 'A*'];
      for (const pool of pools) await world.addSupply({ tags: { pool }, count: 1 });
      await world.addSupply({ tags: { Pool: 'a*' }, count: 1 });
      for (const pool of pools) {
        const { addresses, pools: found } = await list(world, { pool });
        assert.deepEqual(
          [...addresses, ...found].map(({ tags }) => tags['pool']),
          [pool],
        );
      }
    },
  },
  {
    id: 'long-and-odd-tags',
    name: 'B06: finds keys with : and /, keys of 127 and values of 256 characters, and empty values',
    run: async (world) => {
      const odd: readonly Tags[] = [{ 'a:b/c': 'x' }, { ['k'.repeat(127)]: 'v'.repeat(256) }, { empty: '' }];
      for (const tags of odd) await world.addSupply({ tags, count: 1 });
      await world.addSupply({ tags: { empty: 'no' }, count: 1 });
      for (const tags of odd) assert.equal(await countOf(world, { by: 'tags', tags }), 1, JSON.stringify(tags));
    },
  },
  {
    id: 'tag-values',
    name: 'finds what has any of many values of one tag, more than a cloud takes in one call',
    run: async (world) => {
      for (const uid of ['u1', 'u2', 'u3']) await world.addSupply({ tags: { uid }, count: 1 });
      const values = ['u1', 'u3', ...Array.from({ length: 250 }, (_, n) => `missing-${n}`)];
      assert.equal(await countOf(world, { by: 'tagValues', key: 'uid', values }), 2);
      assert.equal(await countOf(world, { by: 'tagValues', key: 'uid', values: [] }), 0);
    },
  },
  {
    id: 'unknown-ids-omitted',
    name: 'B46: serves the ids that exist when one of a batch does not',
    run: async (world) => {
      await world.addSupply({ tags: POOL, count: 2 });
      const { addresses, pools } = await list(world);
      const ids = [...addresses, ...pools].map(({ id }) => id);
      const before = await countOf(world, { by: 'ids', ids });
      const unknown = ids.map((id) => id.replaceAll(/[0-9]/g, '0'));
      assert.equal(before, 2);
      assert.equal(await countOf(world, { by: 'ids', ids: [...unknown, ...ids] }), 2);
    },
  },
  {
    id: 'sorted-and-valid',
    name: 'answers sorted by id, with IPv4 addresses and free places within the total',
    run: async (world) => {
      for (let batch = 0; batch < 3; batch++) await world.addSupply({ tags: POOL, count: 2 });
      const { addresses, pools } = await list(world);
      for (const ids of [addresses.map(({ id }) => id), pools.map(({ id }) => id)]) {
        assert.deepEqual(ids, ids.toSorted());
      }
      for (const { ip, attachment, reserved } of addresses) {
        assert.ok(isIpv4(ip));
        assert.equal(attachment ?? reserved, undefined);
      }
      for (const { free, total } of pools) assert.deepEqual([free, total], [2, 2]);
    },
  },
  {
    id: 'results-are-snapshots',
    name: 'never changes an answer that was given',
    run: async (world) => {
      await world.addSupply({ tags: POOL, count: 1 });
      const before = await list(world);
      const copy = JSON.stringify(before);
      const [ref] = await addInstances(world, 1);
      assert.ok(ref !== undefined);
      await attachFirst(world, ref);
      assert.equal(JSON.stringify(before), copy);
      assert.notEqual(JSON.stringify(await list(world)), copy);
    },
  },
  {
    id: 'reserved-is-not-free',
    name: 'B10: says so when a service of the cloud keeps an address',
    features: ['addresses'],
    abilities: ['addReserved'],
    run: async (world) => {
      await world.addReserved?.(POOL);
      const { addresses } = await list(world);
      assert.equal(addresses.length, 1);
      assert.ok(addresses.every(({ reserved }) => reserved !== undefined && reserved !== ''));
    },
  },
];
