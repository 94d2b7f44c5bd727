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
import type { Facts } from './facts.ts';
import { isAt } from './listing-index.ts';
import { planClaim } from './plan-claim.ts';
import type { Plan, Step } from './plan.ts';

const ELSEWHERE = { interfaceId: 'eni-9', privateIp: '10.0.0.9', instanceId: 'i-9' };
const BEFORE = { interfaceId: 'eni-2', privateIp: '10.0.0.2', instanceId: 'i-2' };
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

const addresses = fc.array(
  fc.record({
    n: fc.integer({ min: 1, max: 4 }),
    tags: fc.constantFrom('ours', 'peers', 'otherClaim', 'otherCluster', 'nobody' as const),
    place: fc.constantFrom('free', 'target', 'before', 'elsewhere' as const),
  }),
  { maxLength: 3 },
);

/** Mostly what usually is. */
function usually<T>(value: T, otherwise: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: otherwise });
}

const age = usually(10, fc.integer({ min: 1, max: 40_000 }));
const few = (...ids: readonly string[]): fc.Arbitrary<string[]> => usually<string[]>([], fc.subarray([...ids]));

/** Small worlds in which everything may contradict everything. */
const worlds: fc.Arbitrary<Facts> = fc
  .record({
    addresses,
    origin: fc.constantFrom('allocated', 'adopted', 'given' as const),
    ending: fc.constantFrom('no', 'keep', 'release' as const),
    status: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    isConfirmed: fc.boolean(),
    place: fc.constantFrom(undefined, BEFORE, { interfaceId: 'eni-1', privateIp: '10.0.0.1' }),
    isPlaced: usually(true, fc.boolean()),
    held: usually<number | undefined>(undefined, fc.integer({ min: 1, max: 9 })),
    isUnresolved: usually(false, fc.boolean()),
    made: usually<number | undefined>(undefined, fc.integer({ min: 1, max: 4 })),
    provisional: usually<number | undefined>(undefined, fc.integer({ min: 1, max: 4 })),
    isInDoubt: usually(false, fc.boolean()),
    taken: few('a-1', 'a-2', 'a-3', 'a-4'),
    detached: few('as-1', 'as-2', 'as-3', 'as-4'),
    released: few('a-1', 'a-2'),
    ages: fc.record({ listing: age, target: age, change: usually(30_000, fc.nat(40_000)) }),
    hasOlderRival: usually(false, fc.boolean()),
    atomicSwap: fc.boolean(),
  })
  .map((world) => {
    const listed = new Map<number, Address>();
    for (const { n, tags: whose, place } of world.addresses) {
      const where = PLACES[place];
      listed.set(n, address(n, { tags: TAGS[whose], attachment: where && attachment(n, where) }));
    }
    const held = world.held === undefined ? undefined : attachment(world.held);
    const ref = target().ref;
    const resolution: Resolution = world.isUnresolved
      ? { ref, error: new StaticIpError('notFound', 'gone') }
      : { ref, target: target({ holding: held }) };
    const selection = { by: 'tags', tags: { pool: 'a' } } as const;
    const origins = {
      allocated: { kind: 'allocated', clusterUid: CLUSTER_UID, request: REQUEST },
      adopted: { kind: 'adopted' },
      given: { kind: 'given', addressId: 'a-1' },
    } as const;
    const rival = { key: 'eip/default/a', createdAt: 1, assignedIp: undefined };
    const { status, provisional, made } = world;
    const named = status === undefined ? {} : { assignedId: `a-${status}`, assignedIp: `198.51.100.${status}` };
    return facts({
      claim: ownClaim({
        uid: 'uid-1',
        wanted: {
          ...{ kind: 'own', selection, origin: origins[world.origin] },
          ending: world.ending === 'no' ? undefined : { release: world.ending === 'release' },
        },
        target: world.isPlaced ? ref : undefined,
        ...named,
        assignedPlace: status === undefined ? undefined : world.place,
        assignedAttachment: status !== undefined && world.isConfirmed ? `as-${status}` : undefined,
      }),
      listing: seen(listing(...listed.values()), world.ages.listing),
      resolution: world.isPlaced ? seen(resolution, world.ages.target) : undefined,
      provisional:
        provisional === undefined
          ? undefined
          : { attachment: attachment(provisional), targetId: target().id, madeAt: NOW - world.ages.change },
      changedAt: NOW - world.ages.change,
      made: made === undefined ? undefined : { address: address(made, { tags: TAGS.ours }), at: NOW - 1_000 },
      doubtUntil: world.isInDoubt ? NOW + 5_000 : -Infinity,
      taken: new Set(world.taken),
      detached: new Set(world.detached),
      released: new Set(world.released),
      rivals: world.hasOlderRival ? [rival] : [],
      rules: { atomicSwap: world.atomicSwap, visibilityWindowMs: 60_000 },
    });
  });

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
  expect(count).toBeGreaterThan(15);
}

/** True when this process or the status knows the attachment as the claim's, by its id or by its place. */
function isKnown({ claim, provisional, resolution }: Facts, it: Attachment): boolean {
  if (it.id === claim.assignedAttachment || it.id === provisional?.attachment.id) return true;
  const on = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
  return isAt(it, claim.assignedPlace) || isAt(it, on);
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
      expect(now - (read?.beganAt ?? -Infinity)).toBeLessThanOrEqual(2_000);
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
