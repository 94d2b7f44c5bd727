import { describe, expect, it } from '@jest/globals';
import { OWNER_TAG, RETAINED_MARK, StaticIpError } from '@static-ip/provider';
import type { Address } from '@static-ip/provider';
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
import type { OwnWish } from './claim.ts';
import type { Facts } from './facts.ts';
import { planClaim } from './plan-claim.ts';
import type { Plan } from './plan.ts';

const SELECTION = { by: 'tags', tags: { cluster: 'prod' } } as const;
const ALLOCATED = { kind: 'allocated', clusterUid: CLUSTER_UID, request: { tags: marks('uid-1') } } as const;
const BEFORE = { interfaceId: 'eni-2', privateIp: '10.0.0.2', instanceId: 'i-2' };
const HERE = { interfaceId: 'eni-1', privateIp: '10.0.0.1' };
const POOL = { kind: 'adopted' } as const;

const mine = (n: number, over: Partial<Address> = {}): Address => address(n, { tags: marks('uid-1'), ...over });
const wish = (over: Partial<OwnWish> = {}): OwnWish => ({
  kind: 'own',
  selection: SELECTION,
  origin: ALLOCATED,
  ...over,
});
const named = { assignedId: 'a-1', assignedIp: '198.51.100.1' };
const confirmed = { ...named, assignedPlace: HERE, assignedAttachment: 'as-1' };

interface World extends Partial<Facts> {
  readonly addresses?: readonly Address[];
  readonly of?: Parameters<typeof ownClaim>[0];
}

function plan({ addresses = [], of = {}, ...over }: World = {}): Plan {
  return planClaim(facts({ claim: ownClaim(of), listing: seen(listing(...addresses)), ...over }));
}

/** What is written down of the one address that there is, or what is done instead. */
function record(over: World): unknown {
  const next = plan({ addresses: [mine(1)], ...over });
  return next.kind === 'record' ? next.verdict.status : next;
}

const rests = (reason: string, status?: object) => ({
  kind: 'rest',
  verdict: { reason, ...(status === undefined ? {} : { status }) },
});
const own = (n: number) => ({ kind: 'own', address: { id: `a-${n}`, ip: `198.51.100.${n}` } });

describe('a claim that has no address yet', () => {
  it('gets one allocated, with the marks', () => {
    expect(plan()).toMatchObject({ kind: 'step', step: { do: 'allocate', request: { tags: marks('uid-1') } } });
  });

  it('B28: looks for one as long as one may be hidden', () => {
    expect(plan({ doubtUntil: NOW + 1 })).toMatchObject(rests('Confirming'));
    expect(plan({ doubtUntil: NOW })).toMatchObject({ step: { do: 'allocate' } });
  });

  it('B28: writes down the one that carries its marks, also the predecessor’s', () => {
    const peers = { [OWNER_TAG.claimUid]: 'uid-1', [OWNER_TAG.clusterName]: 'prod' };
    for (const tags of [marks('uid-1'), peers]) {
      expect(plan({ addresses: [address(1, { tags })] })).toMatchObject({
        kind: 'record',
        verdict: { status: own(1) },
      });
    }
  });

  it('B54: takes none that was made for another claim or in another cluster', () => {
    const others = [marks('uid-2'), { ...marks('uid-1'), [OWNER_TAG.clusterUid]: 'cluster-2' }, {}];
    const addresses = others.map((tags, index) => address(index + 1, { tags }));
    expect(plan({ addresses })).toMatchObject({ step: { do: 'allocate' } });
  });

  it('B46: uses what it has allocated before any read shows it', () => {
    const made = { address: mine(1), at: NOW - 59_999 };
    expect(plan({ made })).toMatchObject({ kind: 'record', verdict: { status: own(1) } });
    expect(plan({ made: { ...made, at: NOW - 60_000 } })).toMatchObject({ step: { do: 'allocate' } });
  });

  it('writes down with it where it goes, if nothing is in the way', () => {
    const place = { interfaceId: 'eni-1', privateIp: '10.0.0.1' };
    expect(record({})).toMatchObject({ ...own(1), place });
    const taken = target({ holding: attachment(9) });
    expect(record({ resolution: seen({ ref: target().ref, target: taken }) })).toEqual({ ...own(1), place: undefined });
    const read = { kind: 'read', need: { target: NOW - 30_000 }, onFailure: own(1) };
    expect(record({ resolution: undefined })).toEqual(read);
    expect(record({ of: { target: undefined } })).toEqual({ ...own(1), place: undefined });
  });

  it('reads its target together with its addresses, but not when it ends', () => {
    const unknown = { listing: undefined, resolution: undefined, epoch: NOW };
    expect(plan(unknown)).toEqual({ kind: 'read', need: { listing: NOW, target: NOW } });
    const ends = { wanted: wish({ ending: { release: true } }) };
    expect(plan({ ...unknown, of: ends })).toEqual({ kind: 'read', need: { listing: NOW, target: undefined } });
  });

  it('allocates none for a target that is an older claim’s', () => {
    const rival = { key: 'eip/default/a', createdAt: 1, assignedIp: undefined };
    expect(plan({ rivals: [rival] })).toMatchObject(rests('TargetClaimed'));
    expect(plan({ rivals: [{ ...rival, createdAt: 9_000 }] })).toMatchObject({ step: { do: 'allocate' } });
  });

  it('B28: allocates on an old listing only when none can exist', () => {
    const old = { listing: seen(listing(), 2_001) };
    const read = { kind: 'read', need: { listing: NOW - 2_000 } };
    expect(plan(old)).toMatchObject({ step: { do: 'allocate' } });
    expect(plan({ ...old, doubtUntil: NOW - 1 })).toEqual(read);
    expect(plan({ ...old, of: named })).toEqual(read);
    expect(plan({ ...old, made: { address: mine(1), at: NOW - 60_000 } })).toEqual(read);
  });
});

describe('a claim whose address is gone', () => {
  it('says so, and is served as one that has none', () => {
    expect(plan({ of: named })).toMatchObject({
      kind: 'record',
      verdict: { reason: 'AddressLost', status: { kind: 'clear' } },
    });
  });

  it('keeps one that is on the target, though its tags were changed', () => {
    const resolution = seen({ ref: target().ref, target: target({ holding: attachment(1) }) });
    expect(plan({ of: confirmed, resolution })).toMatchObject(rests('AddressAssigned', { kind: 'set' }));
  });
});

describe('a claim with more than one address', () => {
  it('B12: uses the one that is attached where the status says, and releases the others', () => {
    const addresses = [mine(1), mine(2, { attachment: attachment(2, BEFORE) })];
    const of = { ...named, assignedPlace: BEFORE };
    expect(plan({ addresses, of })).toMatchObject({ step: { do: 'release', address: { id: 'a-1' } } });
  });

  it('B12: uses the one that the status names, else that with the lowest id', () => {
    const addresses = [mine(2), mine(1)];
    expect(plan({ addresses, of: { ...named, assignedId: 'a-2' } })).toMatchObject({
      step: { address: { id: 'a-1' } },
    });
    expect(plan({ addresses })).toMatchObject({ step: { do: 'release', address: { id: 'a-2' } } });
  });

  it('leaves a surplus one alone that somebody uses', () => {
    const addresses = [mine(1), mine(2, { attachment: attachment(2, BEFORE) })];
    expect(plan({ addresses, of: named })).toMatchObject({ step: { do: 'attach' } });
  });
});

describe('a claim whose address is free', () => {
  const addresses = [mine(1)];

  it('attaches it to its target', () => {
    expect(plan({ addresses, of: named })).toMatchObject({
      step: { do: 'attach', candidates: [{ address: { id: 'a-1' } }], target: { id: 'eni-1/10.0.0.1' } },
    });
  });

  it('waits while there is none, and says why', () => {
    const unplaced = { reason: 'TargetMissing', message: 'no pod' } as const;
    expect(plan({ addresses, of: { ...named, target: undefined, unplaced } })).toMatchObject(
      rests('TargetMissing', own(1)),
    );
  });

  it('B20: leaves a target alone that holds another one', () => {
    const resolution = seen({ ref: target().ref, target: target({ holding: attachment(9) }) });
    expect(plan({ addresses, of: named, resolution })).toMatchObject(rests('TargetOccupied', own(1)));
  });

  it('B10: is not attached where it cannot be used', () => {
    expect(plan({ addresses: [mine(1, { location: 'zone' })], of: named })).toMatchObject(rests('LocationMismatch'));
  });

  it('B47: is not attached again while the attachment is hidden', () => {
    const provisional = { attachment: attachment(1), targetId: target().id, madeAt: NOW - 1_000 };
    expect(plan({ addresses, of: named, provisional })).toEqual({
      kind: 'read',
      need: { target: NOW, confirms: false },
    });
  });

  it('yields to the claim with the better right', () => {
    const rivals = [{ key: 'cilium-node/n1', createdAt: 1, assignedIp: undefined }];
    expect(plan({ addresses, of: named, rivals })).toMatchObject(rests('TargetClaimed'));
  });

  it('B46: waits for a target that the cloud does not know', () => {
    const resolution = seen({ ref: target().ref, error: new StaticIpError('notFound', 'unknown') });
    expect(plan({ addresses, of: named, resolution })).toMatchObject(rests('InstanceNotFound', own(1)));
  });
});

describe('a claim whose address is attached', () => {
  it('is settled on its target', () => {
    const resolution = seen({ ref: target().ref, target: target({ holding: attachment(1) }) });
    const addresses = [mine(1, { attachment: attachment(1) })];
    expect(plan({ addresses, of: confirmed, resolution })).toMatchObject(rests('AddressAssigned', { kind: 'set' }));
  });

  it('B38: takes it off where the status says that it was', () => {
    const addresses = [mine(1, { attachment: attachment(1, BEFORE) })];
    const of = { ...named, assignedPlace: BEFORE };
    expect(plan({ addresses, of })).toMatchObject({ step: { do: 'detach', attachment: { id: 'as-1' } } });
    expect(plan({ addresses, of: { ...of, target: undefined } })).toMatchObject({ step: { do: 'detach' } });
  });

  it('B38: attaches it once it is off, though reads still show it there', () => {
    const addresses = [mine(1, { attachment: attachment(1, BEFORE) })];
    const of = { ...named, assignedPlace: BEFORE };
    expect(plan({ addresses, of, detached: new Set(['as-1']) })).toMatchObject({
      step: { do: 'attach', candidates: [{ address: { id: 'a-1', attachment: undefined } }] },
    });
  });

  it('B23: leaves it where somebody else has put it', () => {
    const addresses = [mine(1, { attachment: attachment(1, { interfaceId: 'eni-9', privateIp: '10.0.0.9' }) })];
    for (const over of [confirmed, { ...confirmed, target: undefined }]) {
      expect(plan({ addresses, of: over })).toMatchObject(rests('AddressInUse', own(1)));
    }
  });

  it('B46: leaves it on a target that cannot be read just now', () => {
    const addresses = [mine(1, { attachment: attachment(1) })];
    const resolution = seen({ ref: target().ref, error: new StaticIpError('notFound', 'unknown') });
    expect(plan({ addresses, of: confirmed, resolution })).toMatchObject(rests('InstanceNotFound', { kind: 'keep' }));
  });

  it('is detached only by a young listing', () => {
    const addresses = [mine(1, { attachment: attachment(1, BEFORE) })];
    const of = { ...named, assignedPlace: BEFORE, target: undefined };
    expect(plan({ of, listing: seen(listing(...addresses), 15_001) })).toEqual({
      kind: 'read',
      need: { listing: NOW - 15_000 },
    });
  });
});

describe('a claim that takes an address of a pool', () => {
  const of = { wanted: wish({ origin: POOL }) };
  const free = [address(1), address(2)];

  it('writes the first free one down', () => {
    expect(plan({ addresses: free, of })).toMatchObject({ kind: 'record', verdict: { status: own(1) } });
    expect(plan({ addresses: free, of, taken: new Set(['a-1']) })).toMatchObject({ verdict: { status: own(2) } });
  });

  it('B14: waits its turn', () => {
    expect(plan({ addresses: free, of, ahead: 2 })).toMatchObject(rests('PoolExhausted'));
    expect(plan({ of })).toMatchObject(rests('NoAddressMatches'));
  });

  it('B14: is not told to wait by what was read before an address came free', () => {
    const old = { of, addresses: free, ahead: 2, hopefulSince: NOW };
    expect(plan(old)).toEqual({ kind: 'read', need: { listing: NOW } });
    expect(plan({ ...old, hopefulSince: NOW - 500 })).toMatchObject(rests('PoolExhausted'));
  });

  it('swaps when the pool no longer has the old one, and not before there is a new one', () => {
    const resolution = seen({ ref: target().ref, target: target({ holding: attachment(9) }) });
    const held = { ...of, ...confirmed, assignedId: 'a-9', assignedIp: '198.51.100.9', assignedAttachment: 'as-9' };
    expect(plan({ addresses: free, of: held, resolution })).toMatchObject({
      step: { do: 'attach', candidates: [{ address: { id: 'a-1' } }, {}], expected: { id: 'as-9' } },
    });
    expect(plan({ of: held, resolution })).toMatchObject(rests('NoAddressMatches', { kind: 'keep' }));
    const rules = { atomicSwap: false, visibilityWindowMs: 60_000 };
    expect(plan({ addresses: free, of: held, resolution, rules })).toMatchObject({ step: { do: 'detach' } });
    expect(plan({ addresses: free, of: { ...held, target: undefined } })).toMatchObject({ step: { do: 'detach' } });
  });

  it('finds the new one of a swap that was not written down', () => {
    const addresses = [address(1, { attachment: attachment(1) })];
    const held = { ...of, ...confirmed, assignedId: 'a-9', assignedIp: '198.51.100.9' };
    expect(plan({ addresses, of: held })).toMatchObject({ kind: 'record', verdict: { status: own(1) } });
  });
});

describe('a claim of a given address', () => {
  const of = { wanted: wish({ origin: { kind: 'given', addressId: 'a-1' } }) };

  it('says that it does not exist', () => {
    expect(plan({ of })).toMatchObject(rests('NoAddressMatches', { kind: 'keep' }));
    expect(plan({ of: { ...of, ...named } })).toMatchObject(rests('NoAddressMatches', { kind: 'clear' }));
  });

  it('B25: says that another claim has it', () => {
    const world = { addresses: [address(1)], taken: new Set(['a-1']) };
    expect(plan({ ...world, of })).toMatchObject(rests('AddressInUse', { kind: 'keep' }));
    expect(plan({ ...world, of: { ...of, ...confirmed } })).toMatchObject(rests('AddressInUse', { kind: 'clear' }));
  });
});

describe('an attach whose answer was lost, and that takes effect after the claim has moved on', () => {
  const place = { interfaceId: 'eni-2', privateIp: '10.0.0.2' };
  const attempt = { addressId: 'a-1', ip: '198.51.100.1', targetId: 'eni-2/10.0.0.2', place, failedAt: NOW - 20_000 };
  const late = [mine(1, { attachment: attachment(7, { addressId: 'a-1', ...BEFORE }) })];
  const detaches = { step: { do: 'detach', attachment: { id: 'as-7' } } };

  it('is taken off: it is our own doing, though no status names that place any more', () => {
    expect(plan({ addresses: late, of: named, attempt })).toMatchObject(detaches);
    expect(plan({ addresses: late, of: { ...named, target: undefined }, attempt })).toMatchObject(detaches);
    expect(plan({ addresses: late, of: ending(true), attempt })).toMatchObject(detaches);
  });

  it('B23: is somebody else’s doing when it is elsewhere, of another address, or long ago', () => {
    const others = [
      { ...attempt, place: { ...place, privateIp: '10.0.0.3' } },
      { ...attempt, addressId: 'a-2' },
      { ...attempt, failedAt: NOW - 60_000 },
    ];
    for (const other of others) {
      expect(plan({ addresses: late, of: named, attempt: other })).toMatchObject(rests('AddressInUse'));
    }
  });
});

function ending(release: boolean, origin: OwnWish['origin'] = ALLOCATED) {
  return { ...confirmed, wanted: wish({ origin, ending: { release } }) };
}

describe('a claim that ends', () => {
  const ended = { kind: 'rest', verdict: { ended: true } };
  const attached = [mine(1, { attachment: attachment(1) })];

  it('takes its address off, releases it, and is done', () => {
    expect(plan({ addresses: attached, of: ending(true) })).toMatchObject({ step: { do: 'detach' } });
    const detached = new Set(['as-1']);
    expect(plan({ addresses: attached, of: ending(true), detached })).toMatchObject({ step: { do: 'release' } });
    expect(plan({ addresses: attached, of: ending(true), detached, released: new Set(['a-1']) })).toMatchObject(ended);
  });

  it('B25: releases nothing that is kept, of a pool, or given', () => {
    const detached = new Set(['as-1']);
    const retained = new Set(['a-1']);
    const ends = [ending(false), ending(true, POOL), ending(true, { kind: 'given', addressId: 'a-1' })];
    for (const of of ends) expect(plan({ addresses: attached, of, detached, retained })).toMatchObject(ended);
  });

  it('B54: marks an address that stays behind, once, unless it was allocated so', () => {
    const detached = new Set(['as-1']);
    expect(plan({ addresses: attached, of: ending(false) })).toMatchObject({ step: { do: 'detach' } });
    const step = { do: 'retain', address: { id: 'a-1' } };
    expect(plan({ addresses: attached, of: ending(false), detached })).toMatchObject({ step });
    const tags = { ...marks('uid-1'), ...RETAINED_MARK };
    expect(plan({ addresses: [mine(1, { tags })], of: ending(false) })).toMatchObject(ended);
  });

  it('B23: leaves its address where somebody else has put it', () => {
    const addresses = [mine(1, { attachment: attachment(7, { addressId: 'a-1', ...BEFORE }) })];
    expect(plan({ addresses, of: ending(true) })).toMatchObject(ended);
  });

  it('takes off what was attached a moment ago, whatever the listing shows', () => {
    const provisional = { attachment: attachment(1), targetId: target().id, madeAt: NOW };
    expect(plan({ addresses: [mine(1)], of: ending(true), provisional })).toMatchObject({ step: { do: 'detach' } });
    expect(plan({ addresses: [mine(1)], of: ending(true), changedAt: NOW })).toMatchObject({ step: { do: 'detach' } });
    expect(plan({ addresses: [mine(1)], of: ending(true) })).toMatchObject({ step: { do: 'release' } });
  });

  it('takes off what no listing shows any more', () => {
    expect(plan({ of: ending(true) })).toMatchObject({ step: { do: 'detach', attachment: { id: 'as-1' } } });
  });

  it('B26: needs neither target nor status', () => {
    const of = { wanted: wish({ ending: { release: true } }), target: undefined };
    expect(plan({ of, resolution: undefined })).toMatchObject(ended);
    expect(plan({ of, resolution: undefined, addresses: [mine(1)] })).toMatchObject({ step: { do: 'release' } });
  });

  it('B28: looks for an address that may be hidden before it ends', () => {
    const of = { wanted: wish({ ending: { release: true } }) };
    expect(plan({ of, doubtUntil: NOW + 1 })).toMatchObject(rests('Confirming'));
  });
});

describe('where the cloud answers slowly', () => {
  // Read by this run, and older than a read may be by the time it is there.
  const slow = { since: NOW - 9_000, epoch: NOW - 60_000 };
  const read = (...addresses: readonly Address[]) => ({ ...slow, listing: seen(listing(...addresses), 8_000) });

  it('acts on what this run has read, instead of reading for ever', () => {
    expect(plan(read())).toMatchObject({ step: { do: 'allocate' } });
    const attached = mine(1, { attachment: attachment(1) });
    expect(plan({ ...read(attached), of: ending(true) })).toMatchObject({ step: { do: 'detach' } });
  });

  it('reads again what an earlier run has read', () => {
    const adopting = { ...read(), of: { wanted: wish({ origin: POOL }) }, since: NOW - 1_000 };
    expect(plan(adopting)).toEqual({ kind: 'read', need: { listing: NOW - 2_000 } });
  });
});
