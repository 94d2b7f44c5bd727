import { describe, expect, it } from '@jest/globals';
import {
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  option,
  property,
  record,
  string,
  uniqueArray,
} from 'fast-check';
import type { Address, Pool } from './address.ts';
import { explainSkipped, selectCandidates } from './matching.ts';
import type { Listing } from './provider.ts';

const nothingTaken = { taken: new Set<string>() };

function address(id: string, over: Partial<Address> = {}): Address {
  return { id, ip: `203.0.113.${id.length}`, tags: { pool: 'a' }, ...over };
}

function attachedTo(interfaceId: string, id: string): Partial<Address> {
  return { attachment: { id: `assoc-${id}`, addressId: id, ip: '203.0.113.1', interfaceId } };
}

function listing(addresses: readonly Address[], pools: readonly Pool[] = []): Listing {
  return { addresses, pools };
}

function idsOf(result: ReturnType<typeof selectCandidates>): readonly string[] {
  return result.candidates.map((one) => (one.kind === 'address' ? one.address.id : one.pool.id));
}

describe('selectCandidates', () => {
  it('offers the address of before first, then free ones by id, whatever the order of the listing', () => {
    const world = listing([address('c', { ip: '203.0.113.3' }), address('b'), address('a')]);
    expect(idsOf(selectCandidates(world, { ...nothingTaken, preferIp: '203.0.113.3' }))).toEqual(['c', 'a', 'b']);
    expect(idsOf(selectCandidates(world, nothingTaken))).toEqual(['a', 'b', 'c']);
  });

  it('B10: leaves out what only looks free: attached, kept by a service, of another location, reserved', () => {
    const world = listing([
      address('a', attachedTo('eni-1', 'a')),
      address('b', { reserved: 'nlb' }),
      address('c', { location: 'us-west-2-lax-1' }),
      address('d', { location: 'us-west-2' }),
      address('e', { location: 'us-west-2' }),
    ]);
    const result = selectCandidates(world, { location: 'us-west-2', taken: new Set(['d']) });
    expect(idsOf(result)).toEqual(['e']);
    expect(result).toMatchObject({
      matched: 5,
      skipped: { attached: 1, reserved: 1, otherLocation: 1, taken: 1 },
      otherLocations: ['us-west-2-lax-1'],
    });
  });

  it('rules nothing out for a location that either side does not know', () => {
    const world = listing([address('a', { location: 'us-west-2-lax-1' }), address('b')]);
    expect(idsOf(selectCandidates(world, nothingTaken))).toEqual(['a', 'b']);
    expect(idsOf(selectCandidates(world, { ...nothingTaken, location: 'us-west-2' }))).toEqual(['b']);
  });

  it('never prefers an address that is attached or reserved by another claim', () => {
    const world = listing([address('a', { ip: '203.0.113.9' }), address('b')]);
    const result = selectCandidates(world, { preferIp: '203.0.113.9', taken: new Set(['a']) });
    expect(idsOf(result)).toEqual(['b']);
  });

  it('B65: offers a pool only while it has places that no other claim has reserved', () => {
    const pool: Pool = { id: 'prefix-1', tags: {}, free: 2, total: 4 };
    const one = selectCandidates(listing([], [pool]), { ...nothingTaken, takenPlaces: new Map([['prefix-1', 1]]) });
    expect(idsOf(one)).toEqual(['prefix-1']);
    const none = selectCandidates(listing([], [pool]), { ...nothingTaken, takenPlaces: new Map([['prefix-1', 2]]) });
    expect(idsOf(none)).toEqual([]);
    expect(explainSkipped(none)).toBe('4 match, 0 free: 2 attached, 2 reserved by other claims');
  });

  it('counts every match exactly once: as a candidate or by one reason', () => {
    const anyAddress = record({
      id: string({ minLength: 1, maxLength: 3 }),
      reserved: option(constant('nlb'), { nil: undefined }),
      location: option(constantFrom('x', 'y'), { nil: undefined }),
      attached: boolean(),
    });
    assert(
      property(uniqueArray(anyAddress, { selector: ({ id }) => id }), array(string()), (all, taken) => {
        const world = listing(
          all.map(({ attached, ...one }) =>
            address(one.id, { ...one, ...(attached ? attachedTo('eni', one.id) : {}) }),
          ),
        );
        const result = selectCandidates(world, { location: 'x', taken: new Set(taken) });
        const { attached, reserved, otherLocation, taken: held } = result.skipped;
        expect(result.candidates.length + attached + reserved + otherLocation + held).toBe(all.length);
        expect(idsOf(result)).toEqual(idsOf(result).toSorted());
      }),
    );
  });
});

describe('explainSkipped', () => {
  it('says how many match, how many are free and what is wrong with the others', () => {
    const world = listing([
      address('a', attachedTo('eni-1', 'a')),
      address('b', attachedTo('eni-2', 'b')),
      address('c', { location: 'us-west-2-lax-1' }),
    ]);
    expect(explainSkipped(selectCandidates(world, { ...nothingTaken, location: 'us-west-2' }))).toBe(
      '3 match, 0 free: 2 attached, 1 in location us-west-2-lax-1',
    );
  });

  it('names no location when there are several, and no reason when there is none', () => {
    const world = listing([address('a', { location: 'y' }), address('b', { location: 'z' }), address('c')]);
    expect(explainSkipped(selectCandidates(world, { ...nothingTaken, location: 'x' }))).toBe(
      '3 match, 1 free: 2 in other locations',
    );
    expect(explainSkipped(selectCandidates(listing([address('a')]), nothingTaken))).toBe('1 matches, 1 free');
    expect(explainSkipped(selectCandidates(listing([]), nothingTaken))).toBe('no address matches');
  });
});
