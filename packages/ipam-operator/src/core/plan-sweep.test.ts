import { describe, expect, it } from '@jest/globals';
import { ownerTags } from '@static-ip/provider';
import type { Address } from '@static-ip/provider';
import * as fc from 'fast-check';
import { address, attachment, NOW } from '../testing/facts.ts';
import { planSweep } from './plan-sweep.ts';
import type { Fate, LiveClaim, SweepFacts } from './plan-sweep.ts';

const MIN_AGE_MS = 60_000;
const SCOPE = { clusterUid: 'cluster-1', clusterName: 'prod', peerTags: false };

function marks(claimUid: string, over: { readonly clusterUid?: string; readonly isRetained?: boolean } = {}) {
  return ownerTags({
    clusterUid: 'cluster-1',
    clusterName: 'prod',
    namespace: 'web',
    claimName: 'front',
    claimUid,
    selects: { kind: 'other' },
    ...over,
  });
}

/** As the predecessor wrote them. */
function peerMarks(claimUid: string, clusterName = 'prod'): Readonly<Record<string, string>> {
  return { 'eip.materialize.cloud/eip_uid': claimUid, 'eip.materialize.cloud/cluster_name': clusterName };
}

const LEGACY_MARKS = { 'eip.aws.materialize.com/cluster_name': 'prod' };

function live(uid: string, over: Partial<LiveClaim> = {}): LiveClaim {
  return { uid, isEnding: false, addressIds: [], ...over };
}

/** Address 1 was made for a claim that is gone, and has been seen without one for long enough. */
function facts(over: Partial<SweepFacts> = {}): SweepFacts {
  return {
    addresses: [address(1, { tags: marks('gone') })],
    claims: [live('other')],
    scope: SCOPE,
    suspectedSince: new Map([['a-1', NOW - MIN_AGE_MS]]),
    now: NOW,
    minAgeMs: MIN_AGE_MS,
    ...over,
  };
}

const fateIn = (over: Partial<SweepFacts>): Fate | undefined => planSweep(facts(over)).swept[0]?.fate;
const withTags = (tags: Address['tags'], over: Partial<SweepFacts> = {}) =>
  fateIn({ addresses: [address(1, { tags })], ...over });

describe('the sweep takes for leaked', () => {
  it('an address of a claim that is gone, once it has been seen so for the minimum age', () => {
    const plan = planSweep(facts());
    expect(plan.swept.map(({ fate }) => fate)).toEqual(['leaked']);
    expect(plan.leaked.map(({ id }) => id)).toEqual(['a-1']);
  });

  it("the predecessor's, in both forms, only when told to", () => {
    for (const tags of [peerMarks('gone'), LEGACY_MARKS]) {
      expect(withTags(tags)).toBe('foreign');
      expect(withTags(tags, { scope: { ...SCOPE, peerTags: true } })).toBe('leaked');
    }
  });

  it('the longest suspected first', () => {
    const addresses = [1, 2, 3].map((n) => address(n, { tags: marks('gone') }));
    const suspectedSince = new Map([
      ['a-1', 20],
      ['a-2', 10],
      ['a-3', 10],
    ]);
    expect(planSweep(facts({ addresses, suspectedSince })).leaked.map(({ id }) => id)).toEqual(['a-2', 'a-3', 'a-1']);
  });
});

describe('the sweep spares', () => {
  it('B54: an address of another cluster, whatever its name', () => {
    const scope = { ...SCOPE, peerTags: true };
    expect(withTags(marks('gone', { clusterUid: 'cluster-2' }), { scope })).toBe('foreign');
    expect(withTags(peerMarks('gone', 'staging'), { scope })).toBe('foreign');
    expect(withTags({ ...LEGACY_MARKS, 'eip.materialize.cloud/cluster_uid': 'cluster-2' }, { scope })).toBe('foreign');
  });

  it('B54: everything while not one claim is found', () => {
    expect(fateIn({ claims: [] })).toBe('unproven');
  });

  it('B54: what belongs to another namespace than the one that is served', () => {
    expect(fateIn({ scope: { ...SCOPE, namespace: 'db' } })).toBe('otherNamespace');
    expect(fateIn({ scope: { ...SCOPE, namespace: 'web' } })).toBe('leaked');
    expect(withTags(LEGACY_MARKS, { scope: { ...SCOPE, peerTags: true, namespace: 'web' } })).toBe('otherNamespace');
  });

  it.each<[string, Fate, Partial<LiveClaim>]>([
    ['whose claim exists', 'claimed', { uid: 'gone' }],
    ['whose claim is being finalized', 'ending', { uid: 'gone', isEnding: true }],
    ['that another claim names by its id', 'claimed', { addressIds: ['a-1'] }],
    ['of a pool that a claim takes from', 'claimed', { poolTags: { 'eip.materialize.cloud/namespace': 'web' } }],
  ])('an address %s', (_what, fate, claim) => {
    expect(fateIn({ claims: [live('other', claim)] })).toBe(fate);
  });

  it('an address that is attached, by whomever, or kept by the cloud', () => {
    const tags = marks('gone');
    expect(fateIn({ addresses: [address(1, { tags, attachment: attachment(1) })] })).toBe('attached');
    expect(fateIn({ addresses: [address(1, { tags, reserved: 'held by eni-9' })] })).toBe('reserved');
  });

  it('an address that was allocated to be kept', () => {
    expect(withTags(marks('gone', { isRetained: true }))).toBe('retained');
  });

  it('an address that it sees for the first time, or not long enough without a break', () => {
    const first = planSweep(facts({ suspectedSince: new Map() }));
    expect(first.swept[0]?.fate).toBe('young');
    expect([...first.suspectedSince]).toEqual([['a-1', NOW]]);
    expect(fateIn({ suspectedSince: new Map([['a-1', NOW - MIN_AGE_MS + 1]]) })).toBe('young');
    const claimed = planSweep(facts({ claims: [live('gone')] }));
    expect(claimed.suspectedSince.size).toBe(0);
  });
});

const rarely = fc.constantFrom(false, false, false, true);
const ids = ['a-0', 'a-1', 'a-2', 'a-3'];

const anyTags = fc.oneof(
  fc
    .record({
      uid: fc.constantFrom('u1', 'u2', 'u3'),
      clusterUid: fc.constantFrom('cluster-1', 'cluster-1', 'cluster-2', ''),
      isRetained: rarely,
    })
    .map(({ uid, ...over }) => marks(uid, over)),
  fc.constantFrom('prod', 'staging', '').map((name) => peerMarks('u3', name)),
  fc.constantFrom<Readonly<Record<string, string>>>(LEGACY_MARKS, {}, { pool: 'a' }),
);

const worlds: fc.Arbitrary<SweepFacts> = fc
  .record({
    addresses: fc.array(fc.record({ tags: anyTags, attached: rarely, reserved: rarely }), {
      minLength: 2,
      maxLength: ids.length,
    }),
    claims: fc.array(
      fc.record({
        uid: fc.constantFrom('u1', 'u2', 'u9'),
        isEnding: fc.boolean(),
        addressIds: fc.constantFrom([], ['a-0'], ['a-9']),
      }),
      { maxLength: 3 },
    ),
    ages: fc.array(fc.nat(3 * MIN_AGE_MS), { minLength: ids.length, maxLength: ids.length }),
    peerTags: fc.boolean(),
    namespace: fc.constantFrom(undefined, undefined, 'web', 'db'),
  })
  .map(({ addresses, claims, ages, peerTags, namespace }) => ({
    addresses: addresses.map(({ tags, attached, reserved }, n) =>
      address(n, {
        tags,
        attachment: attached ? attachment(n) : undefined,
        reserved: reserved ? 'held by eni-9' : undefined,
      }),
    ),
    claims,
    scope: { ...SCOPE, peerTags, namespace },
    suspectedSince: new Map(ages.map((ageMs, n) => [`a-${n}`, NOW - ageMs])),
    now: NOW,
    minAgeMs: MIN_AGE_MS,
  }));

describe('B54: whatever the world looks like, the sweep', () => {
  it('plans to release nothing that is in use, foreign, young, kept or claimed, and nothing at all without a claim', () => {
    let planned = 0;
    fc.assert(
      fc.property(worlds, (world) => {
        const { leaked, swept } = planSweep(world);
        expect(swept.map(({ address: { id } }) => id)).toEqual(world.addresses.map(({ id }) => id));
        if (world.claims.length === 0) expect(leaked).toEqual([]);
        for (const { id, tags, attachment: held, reserved } of leaked) {
          planned += 1;
          expect([held, reserved]).toEqual([undefined, undefined]);
          expect(NOW - (world.suspectedSince.get(id) ?? NOW)).toBeGreaterThanOrEqual(MIN_AGE_MS);
          expect(world.claims.some(({ uid }) => uid === tags['eip.materialize.cloud/eip_uid'])).toBe(false);
          expect(world.claims.some(({ addressIds }) => addressIds.includes(id))).toBe(false);
          expect(tags['eip.materialize.cloud/reclaim_policy']).toBeUndefined();
          const uid = tags['eip.materialize.cloud/cluster_uid'];
          const name = tags['eip.materialize.cloud/cluster_name'] ?? tags['eip.aws.materialize.com/cluster_name'];
          expect(uid ?? (world.scope.peerTags ? name : 'by name only')).toBe(uid === undefined ? 'prod' : 'cluster-1');
          if (world.scope.namespace !== undefined)
            expect(tags['eip.materialize.cloud/namespace']).toBe(world.scope.namespace);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(planned).toBeGreaterThan(100);
  });
});
