import { describe, expect, it } from '@jest/globals';
import { OWNER_TAG, StaticIpError } from '@static-ip/provider';
import type { Address, Attachment, Resolution } from '@static-ip/provider';
import * as fc from 'fast-check';
import {
  address,
  attachment,
  CLUSTER_UID,
  facts,
  listing,
  marks,
  NOW,
  ownClaim,
  seen,
  target,
} from '../testing/facts.ts';
import type { Origin } from './claim.ts';
import type { Attempt, Facts, Observed, Rival } from './facts.ts';
import { isAt } from './listing-index.ts';
import { planClaim } from './plan-claim.ts';
import type { Plan, Step } from './plan.ts';

const ELSEWHERE = { interfaceId: 'eni-9', privateIp: '10.0.0.9', instanceId: 'i-9' };
const BEFORE = { interfaceId: 'eni-2', privateIp: '10.0.0.2', instanceId: 'i-2' };
const HERE = { interfaceId: 'eni-1', privateIp: '10.0.0.1' };
const REQUEST = { tags: marks('uid-1') };

/** Whom an address was made for. */
const TAGS = {
  ours: marks('uid-1'),
  peers: { [OWNER_TAG.claimUid]: 'uid-1', [OWNER_TAG.clusterName]: 'prod' },
  otherClaim: marks('uid-2'),
  otherCluster: { ...marks('uid-1'), [OWNER_TAG.clusterUid]: 'cluster-2' },
  nobody: { pool: 'a' },
} as const;

const PLACES = { free: undefined, target: {}, before: BEFORE, elsewhere: ELSEWHERE } as const;

/** Mostly what usually is. */
function usually<T>(value: T, otherwise: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: otherwise });
}

const age = usually(10, fc.integer({ min: 1, max: 40_000 }));
const number = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 }));
const rarely = <T>(otherwise: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  usually<T | undefined>(undefined, otherwise);
const few = (...ids: readonly string[]): fc.Arbitrary<ReadonlySet<string>> =>
  usually<string[]>([], fc.subarray([...ids])).map((chosen) => new Set(chosen));

const addresses: fc.Arbitrary<Address> = fc
  .record({
    n: number,
    whose: fc.oneof(
      fc.constant('ours' as const),
      fc.constantFrom('peers', 'otherClaim', 'otherCluster', 'nobody' as const),
    ),
    place: fc.oneof(fc.constant('free' as const), fc.constantFrom('target', 'before', 'elsewhere' as const)),
  })
  .map(({ n, whose, place }) => {
    const where = PLACES[place];
    return address(n, { tags: TAGS[whose], attachment: where && attachment(n, where) });
  });

const listings = fc
  .record({ all: fc.uniqueArray(addresses, { maxLength: 3, selector: ({ id }) => id }), age })
  .map(({ all, age: ageMs }) => seen(listing(...all), ageMs));

const resolutions = fc
  .record({ held: rarely(fc.integer({ min: 1, max: 9 })), isUnresolved: usually(false, fc.boolean()), age })
  .map(({ held, isUnresolved, age: ageMs }): Observed<Resolution> => {
    const { ref } = target();
    if (isUnresolved) return seen({ ref, error: new StaticIpError('notFound', 'gone') }, ageMs);
    return seen({ ref, target: target({ holding: held === undefined ? undefined : attachment(held) }) }, ageMs);
  });

/** What the status says: nothing, an address, where it is about to be, or where it was confirmed to be. */
const statuses = fc.oneof(
  fc.constant({}),
  fc
    .record({ n: number, place: fc.constantFrom(undefined, BEFORE, HERE), isConfirmed: fc.boolean() })
    .map(({ n, place, isConfirmed }) => ({
      assignedId: `a-${n}`,
      assignedIp: `198.51.100.${n}`,
      assignedPlace: place,
      assignedAttachment: isConfirmed ? `as-${n}` : undefined,
    })),
);

const claims = fc
  .record({
    origin: fc.constantFrom<Origin>(
      { kind: 'allocated', clusterUid: CLUSTER_UID, request: REQUEST },
      { kind: 'adopted' },
      { kind: 'given', addressId: 'a-1' },
    ),
    ending: fc.oneof(fc.constant(undefined), fc.constantFrom({ release: false }, { release: true })),
    status: statuses,
    isPlaced: usually(true, fc.boolean()),
  })
  .map(({ origin, ending, status, isPlaced }) => {
    const selection = { by: 'tags', tags: { pool: 'a' } } as const;
    const wanted = { kind: 'own', selection, origin, ending } as const;
    return ownClaim({ wanted, target: isPlaced ? target().ref : undefined, ...status });
  });

const provisionals = number.map((n) => ({ attachment: attachment(n), targetId: target().id, madeAt: NOW - 20_000 }));

const attemptOf = (n: number): Attempt => ({
  addressId: `a-${n}`,
  ip: `198.51.100.${n}`,
  targetId: 'eni-2/10.0.0.2',
  place: BEFORE,
  failedAt: NOW - 20_000,
});

/** Small worlds in which everything may contradict everything. */
const worlds: fc.Arbitrary<Facts> = fc
  .record({
    claim: claims,
    listing: listings,
    resolution: resolutions,
    provisional: rarely(provisionals),
    attempt: rarely(number.map((n) => attemptOf(n))),
    changedAt: usually(NOW - 30_000, fc.integer({ min: NOW - 40_000, max: NOW })),
    made: rarely(number.map((n) => ({ address: address(n, { tags: TAGS.ours }), at: NOW - 1_000 }))),
    doubtUntil: usually(-Infinity, fc.constantFrom(NOW + 5_000, NOW - 5_000)),
    taken: few('a-1', 'a-2', 'a-3', 'a-4'),
    detached: few('as-1', 'as-2', 'as-3', 'as-4'),
    released: few('a-1', 'a-2'),
    rivals: usually<Rival[]>([], fc.constant([{ key: 'eip/default/a', createdAt: 1 }])),
    rules: fc.boolean().map((atomicSwap) => ({ atomicSwap, visibilityWindowMs: 60_000 })),
  })
  .map((world) => facts({ ...world, resolution: world.claim.target === undefined ? undefined : world.resolution }));

function property(check: (world: Facts, plan: Plan) => void): void {
  fc.assert(
    fc.property(worlds, (world) => check(world, planClaim(world))),
    { numRuns: 6_000 },
  );
}

function steps(what: Step['do'], check: (world: Facts, step: Step) => void): void {
  let count = 0;
  property((world, plan) => {
    if (plan.kind !== 'step' || plan.step.do !== what) return;
    count += 1;
    check(world, plan.step);
  });
  // A property that is never asked proves nothing.
  expect(count).toBeGreaterThan(40);
}

/** True when this process or the status knows the attachment as the claim's, by its id or by its place. */
function isKnown({ claim, provisional, resolution, attempt }: Facts, one: Attachment): boolean {
  if (one.id === claim.assignedAttachment || one.id === provisional?.attachment.id) return true;
  const on = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
  const isTried = one.addressId === attempt?.addressId && isAt(one, attempt.place);
  return isAt(one, claim.assignedPlace) || isAt(one, on) || isTried;
}

describe('whatever the world looks like, the planner of claims with an address of their own', () => {
  it('B25: releases only what carries the marks of the claim and was made for it', () => {
    steps('release', ({ claim, listing: read, made }, step) => {
      if (step.do !== 'release' || claim.wanted.kind !== 'own') return;
      expect(claim.wanted.origin.kind).toBe('allocated');
      expect(step.address.tags[OWNER_TAG.claimUid]).toBe(claim.uid);
      expect([CLUSTER_UID, undefined]).toContain(step.address.tags[OWNER_TAG.clusterUid]);
      expect([...(read?.value.addresses ?? []), made?.address]).toContain(step.address);
    });
  });

  it('releases nothing that is attached, and for an ending claim only what it may', () => {
    steps('release', (world, step) => {
      if (step.do !== 'release' || world.claim.wanted.kind !== 'own') return;
      const { attachment: on } = step.address;
      expect(on === undefined || world.detached.has(on.id)).toBe(true);
      if (world.claim.wanted.ending !== undefined) expect(world.claim.wanted.ending.release).toBe(true);
    });
  });

  it('marks as kept only its own address, at its end, where it is kept, and never twice', () => {
    steps('retain', ({ claim, retained }, step) => {
      if (step.do !== 'retain' || claim.wanted.kind !== 'own') return;
      expect(claim.wanted.ending).toEqual({ release: false });
      expect(step.address.tags[OWNER_TAG.claimUid]).toBe(claim.uid);
      expect(retained.has(step.address.id)).toBe(false);
    });
  });

  it('B23: detaches only what it knows as its own, and never twice', () => {
    steps('detach', (world, step) => {
      if (step.do !== 'detach') return;
      expect(world.detached.has(step.attachment.id)).toBe(false);
      expect(isKnown(world, step.attachment)).toBe(true);
    });
  });

  it('B28: allocates neither in doubt, nor what is there, nor for another’s target, nor at the end', () => {
    steps('allocate', (world) => {
      const { claim, now, doubtUntil, listing: read, released, made, rivals } = world;
      if (claim.wanted.kind !== 'own') return;
      expect(doubtUntil).toBeLessThanOrEqual(now);
      expect(claim.assignedId).toBeUndefined();
      expect(claim.wanted.ending).toBeUndefined();
      expect(rivals).toEqual([]);
      const listed = read?.value.addresses ?? [];
      const hidden = made === undefined || listed.some(({ id }) => id === made.address.id) ? [] : [made.address];
      const mine = [...listed, ...hidden].filter(
        ({ id, tags }) =>
          !released.has(id) &&
          tags[OWNER_TAG.claimUid] === claim.uid &&
          [CLUSTER_UID, undefined].includes(tags[OWNER_TAG.clusterUid]),
      );
      expect(mine).toEqual([]);
      if (doubtUntil > -Infinity) expect(now - (read?.beganAt ?? -Infinity)).toBeLessThanOrEqual(2_000);
    });
  });

  it('B20: attaches only to a target that is empty, or in place of what the status names', () => {
    steps('attach', (world, step) => {
      if (step.do !== 'attach') return;
      if (step.expected === undefined) return;
      expect(step.expected.addressId).toBe(world.claim.assignedId);
      expect(world.rules.atomicSwap).toBe(true);
    });
  });

  it('B08: attaches only what is free and no other claim’s', () => {
    steps('attach', (world, step) => {
      if (step.do !== 'attach') return;
      for (const candidate of step.candidates) {
        if (candidate.kind !== 'address') throw new Error('no pools here');
        expect(candidate.address.attachment).toBeUndefined();
        expect(world.taken.has(candidate.address.id)).toBe(false);
      }
    });
  });

  it('names as attached only what a read shows on the target', () => {
    property(({ resolution, listing: read }, plan) => {
      if (plan.kind !== 'rest' || plan.verdict.status.kind !== 'set') return;
      const { attachment: named } = plan.verdict.status;
      const on = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
      const listed = read?.value.addresses.flatMap(({ attachment: one }) => one ?? []) ?? [];
      const shown = [...(on?.holding === undefined ? [] : [on.holding]), ...listed.filter((one) => isAt(one, on))];
      expect(shown.map(({ id }) => id)).toContain(named.id);
    });
  });

  it('ends only when nothing of the claim is left that may be taken off or released', () => {
    property((world, plan) => {
      if (plan.kind !== 'rest' || plan.verdict.ended !== true) return;
      const { claim, listing: read, detached, released } = world;
      if (claim.wanted.kind !== 'own') return;
      expect(claim.wanted.ending).toBeDefined();
      if (claim.wanted.origin.kind !== 'allocated' || claim.wanted.ending?.release !== true) return;
      const mine = (read?.value.addresses ?? []).filter(
        ({ id, tags }) => tags[OWNER_TAG.claimUid] === claim.uid && !released.has(id),
      );
      const ours = mine.filter(({ tags }) => [CLUSTER_UID, undefined].includes(tags[OWNER_TAG.clusterUid]));
      const free = ours.filter(({ attachment: on }) => on === undefined || detached.has(on.id));
      expect(free).toEqual([]);
    });
  });

  it('asks only for facts that are younger than those it has', () => {
    property((world, plan) => {
      if (plan.kind !== 'read') return;
      const isNews =
        (plan.need.listing ?? -Infinity) > (world.listing?.beganAt ?? -Infinity) ||
        (plan.need.target ?? -Infinity) > (world.resolution?.beganAt ?? -Infinity);
      expect(isNews).toBe(true);
    });
  });

  it('writes the id of an address down before it does anything with it', () => {
    steps('attach', (world, step) => {
      if (step.do !== 'attach' || world.claim.wanted.kind !== 'own') return;
      if (step.expected !== undefined) return;
      expect(step.candidates.map((one) => (one.kind === 'address' ? one.address.id : ''))).toEqual([
        world.claim.assignedId,
      ]);
    });
  });
});
