import { describe, expect, it } from '@jest/globals';
import { StaticIpError } from '@static-ip/provider';
import type { Attachment } from '@static-ip/provider';
import { address, attachment, claim, facts, listing, NOW, seen, target } from '../testing/facts.ts';
import type { Facts } from './facts.ts';
import { planClaim } from './plan-claim.ts';
import type { Plan, Step, Verdict } from './plan.ts';

function verdictOf(plan: Plan): Verdict {
  if (plan.kind !== 'rest') throw new Error(`not at rest: ${JSON.stringify(plan)}`);
  return plan.verdict;
}

function stepOf(plan: Plan): Step {
  if (plan.kind !== 'step') throw new Error(`no step: ${JSON.stringify(plan)}`);
  return plan.step;
}

function candidatesOf(plan: Plan): readonly string[] {
  const step = stepOf(plan);
  if (step.do !== 'attach') throw new Error('not an attach');
  return step.candidates.map((candidate) => (candidate.kind === 'address' ? candidate.address.id : candidate.pool.id));
}

function holding(held: Attachment | undefined, over: Partial<Facts> = {}, ageMs = 10): Facts {
  return facts({ resolution: seen({ ref: target().ref, target: target({ holding: held }) }, ageMs), ...over });
}

describe('a claim for an address on an empty target', () => {
  it('attaches the first free address in the order of ids', () => {
    expect(candidatesOf(planClaim(facts()))).toEqual(['a-1', 'a-2']);
  });

  it('tries the address that the status names before the others', () => {
    const plan = planClaim(facts({ claim: claim({ assignedIp: '198.51.100.2' }) }));
    expect(candidatesOf(plan)).toEqual(['a-2', 'a-1']);
  });

  it('leaves out what other claims have reserved', () => {
    expect(candidatesOf(planClaim(facts({ taken: new Set(['a-1']) })))).toEqual(['a-2']);
  });

  it('waits behind older claims when there are not enough free addresses for both', () => {
    const plan = planClaim(facts({ ahead: 2 }));
    expect(verdictOf(plan)).toMatchObject({ reason: 'PoolExhausted', status: { kind: 'keep' } });
    expect(verdictOf(plan).queue).toBeDefined();
    expect(candidatesOf(planClaim(facts({ ahead: 1 })))).toHaveLength(2);
  });

  it('says how many match and why none is free', () => {
    const used = address(1, { attachment: attachment(1, { interfaceId: 'eni-9', instanceId: 'i-9' }) });
    expect(verdictOf(planClaim(facts({ listing: seen(listing(used)) }))).message).toBe(
      'Waiting for an address with pool=a: 1 matches, 0 free: 1 attached',
    );
  });

  it('tells no address with these tags from none that is free', () => {
    expect(verdictOf(planClaim(facts({ listing: seen(listing()) }))).reason).toBe('NoAddressMatches');
  });

  it('B10: tells an address of another location from none that is free', () => {
    const plan = planClaim(facts({ listing: seen(listing(address(1, { location: 'elsewhere' }))) }));
    expect(verdictOf(plan).reason).toBe('LocationMismatch');
  });

  it('chooses from a listing that is not of this moment, but waits only on one of two seconds', () => {
    const over = { epoch: NOW - 60_000 };
    expect(planClaim(facts({ ...over, listing: seen(listing(address(1)), 45_000) })).kind).toBe('step');
    expect(planClaim(facts({ ...over, listing: seen(listing(address(1)), 45_001) }))).toEqual({
      kind: 'read',
      need: { listing: NOW - 45_000, target: NOW - 15_000 },
    });
    expect(planClaim(facts({ ...over, listing: seen(listing(), 2_001) }))).toEqual({
      kind: 'read',
      need: { listing: NOW },
    });
  });

  it('reads a target that held an address again, after the listing that shows the loss', () => {
    const resolution = seen({ ref: target().ref, target: target() }, 11);
    expect(planClaim(facts({ resolution })).kind).toBe('step');
    expect(planClaim(facts({ resolution, claim: claim({ assignedIp: '198.51.100.1' }) })).kind).toBe('read');
  });

  it('clears the status only when the repair fails too', () => {
    const plan = planClaim(facts({ claim: claim({ assignedIp: '198.51.100.1' }) }));
    expect(plan).toMatchObject({ kind: 'step', onFailure: { kind: 'clear' } });
  });

  it('clears the status when the address is gone and none is free', () => {
    const plan = planClaim(facts({ claim: claim({ assignedIp: '198.51.100.7' }), listing: seen(listing()) }));
    expect(verdictOf(plan).status).toEqual({ kind: 'clear' });
  });

  it('B20: takes no notice of an automatic address', () => {
    const resolution = seen({ ref: target().ref, target: target({ automatic: { ip: '203.0.113.9' } }) });
    expect(planClaim(facts({ resolution })).kind).toBe('step');
  });
});

describe('a claim whose target holds an address', () => {
  const own = attachment(1);
  const pool = seen(listing(address(1, { attachment: own }), address(2)));

  it('B55: is settled when the address is of the wanted ones, whoever attached it', () => {
    const plan = planClaim(holding(own, { listing: pool }));
    expect(verdictOf(plan)).toMatchObject({ reason: 'AddressAssigned', status: { kind: 'set', ip: '198.51.100.1' } });
  });

  it('B51: needs no younger read of the target to stay settled', () => {
    const over = { listing: pool, epoch: NOW - 20, claim: claim({ assignedIp: '198.51.100.1' }) };
    const plan = planClaim(holding(own, over, 1_000_000));
    expect(verdictOf(plan).reason).toBe('AddressAssigned');
  });

  it('reads the listing anew once per resync', () => {
    const plan = planClaim(holding(own, { listing: seen(pool.value, 500), epoch: NOW - 100 }));
    expect(plan).toEqual({ kind: 'read', need: { listing: NOW - 100 } });
  });

  it('B20: leaves a foreign address alone and says so', () => {
    const foreign = attachment(9, { addressId: 'foreign', ip: '203.0.113.5' });
    const plan = planClaim(holding(foreign));
    expect(verdictOf(plan)).toMatchObject({ reason: 'TargetOccupied', status: { kind: 'keep' } });
  });

  it('clears a status that names another address than the foreign one it found', () => {
    const foreign = attachment(9, { addressId: 'foreign', ip: '203.0.113.5' });
    const plan = planClaim(holding(foreign, { claim: claim({ assignedIp: '198.51.100.1' }) }));
    expect(verdictOf(plan)).toMatchObject({ reason: 'TargetOccupied', status: { kind: 'clear' } });
  });

  it('swaps its own address of changed tags in one step where the cloud can', () => {
    const old = attachment(8, { addressId: 'old', ip: '198.51.100.8' });
    const plan = planClaim(holding(old, { claim: claim({ assignedIp: '198.51.100.8' }) }));
    expect(stepOf(plan)).toMatchObject({ do: 'attach', expected: { id: 'as-8' } });
  });

  it('detaches first where the cloud cannot swap, and keeps the old address while no other is free', () => {
    const old = attachment(8, { addressId: 'old', ip: '198.51.100.8' });
    const over = {
      claim: claim({ assignedIp: '198.51.100.8' }),
      rules: { atomicSwap: false, visibilityWindowMs: 60_000 },
    };
    expect(stepOf(planClaim(holding(old, over)))).toMatchObject({ do: 'detach', attachment: { id: 'as-8' } });
    const waiting = planClaim(holding(old, { ...over, listing: seen(listing()) }));
    expect(verdictOf(waiting)).toMatchObject({
      status: { kind: 'set', ip: '198.51.100.8' },
      reason: 'NoAddressMatches',
    });
  });
});

describe('facts that reads do not show yet', () => {
  const provisional = { attachment: attachment(1), targetId: target().id, madeAt: NOW - 1_000 };

  it('B47: waits for a read that shows the attachment instead of attaching again', () => {
    expect(planClaim(facts({ provisional }))).toEqual({ kind: 'read', need: { target: NOW, confirms: false } });
  });

  it('lists again when the cloud made the address by attaching it', () => {
    const made = attachment(5, { addressId: 'made' });
    const over = { provisional: { ...provisional, attachment: made }, listing: seen(listing(), 5_000) };
    expect(planClaim(holding(made, over))).toEqual({ kind: 'read', need: { listing: NOW } });
  });

  it('believes the reads when the visibility window is over', () => {
    const plan = planClaim(facts({ provisional: { ...provisional, madeAt: NOW - 60_001 } }));
    expect(plan.kind).toBe('step');
  });

  it('takes no read for true that still shows an attachment it took off', () => {
    const old = attachment(8, { addressId: 'old', ip: '198.51.100.8' });
    const plan = planClaim(holding(old, { detached: new Set(['as-8']) }));
    expect(stepOf(plan).do).toBe('attach');
  });

  it('prefers the later of two reads that disagree', () => {
    const fresh = seen(listing(address(1), address(2)), 10);
    const plan = planClaim(holding(attachment(1), { listing: fresh }, 500));
    expect(plan).toEqual({ kind: 'read', need: { listing: NOW - 45_000, target: NOW - 10 } });
    const later = planClaim(holding(attachment(1), { listing: seen(listing(address(1), address(2)), 500) }, 10));
    expect(verdictOf(later).reason).toBe('AddressAssigned');
  });
});

describe('two claims for one target', () => {
  const rival = { key: 'cilium-node/n0', createdAt: 500, assignedIp: undefined };

  it('serves the older one', () => {
    const plan = planClaim(facts({ rivals: [rival] }));
    expect(verdictOf(plan)).toMatchObject({ reason: 'TargetClaimed', status: { kind: 'keep' } });
    expect(planClaim(facts({ rivals: [{ ...rival, createdAt: 2_000 }] })).kind).toBe('step');
  });

  it('prefers the one whose status names what the target holds', () => {
    const held = attachment(1);
    const over = { claim: claim({ assignedIp: held.ip }), rivals: [rival] };
    const pool = seen(listing(address(1, { attachment: held })));
    expect(verdictOf(planClaim(holding(held, { ...over, listing: pool }))).reason).toBe('AddressAssigned');
  });
});

describe('a target that cannot be resolved', () => {
  const missing = { ref: target().ref, error: new StaticIpError('notFound', 'no such instance') };

  it('B32: backs off, and keeps a status that nothing disproves', () => {
    const held = listing(address(1, { attachment: attachment(1) }));
    const over = { claim: claim({ assignedIp: '198.51.100.1' }), resolution: seen(missing), listing: seen(held) };
    expect(verdictOf(planClaim(facts(over)))).toMatchObject({
      reason: 'InstanceNotFound',
      recheck: { kind: 'backoff' },
      status: { kind: 'keep' },
    });
  });

  it('clears the status when the address is seen to be free', () => {
    const over = { claim: claim({ assignedIp: '198.51.100.1' }), resolution: seen(missing) };
    expect(verdictOf(planClaim(facts(over))).status).toEqual({ kind: 'clear' });
  });
});

describe('a claim that wants nothing any more', () => {
  const unwanted = claim({ wanted: { kind: 'nothing', graceMs: 5_000 }, assignedIp: '198.51.100.1' });

  it('B04: keeps everything for the grace time', () => {
    const plan = planClaim(holding(attachment(1), { claim: unwanted, unwantedForMs: 2_000 }));
    expect(verdictOf(plan)).toMatchObject({ reason: 'TagsRemoved', recheck: { kind: 'after', ms: 3_000 } });
  });

  it('detaches what the status names after it', () => {
    const plan = planClaim(holding(attachment(1), { claim: unwanted, unwantedForMs: 5_000, listing: undefined }));
    expect(stepOf(plan)).toMatchObject({ do: 'detach', attachment: { id: 'as-1' } });
  });

  it('B23: never detaches an address that the status does not name', () => {
    const plan = planClaim(holding(attachment(9), { claim: unwanted, unwantedForMs: 5_000 }));
    expect(verdictOf(plan)).toMatchObject({ reason: 'AddressDetached', status: { kind: 'clear' } });
  });

  it('leaves it to another claim for the same target', () => {
    const rivals = [{ key: 'cilium-node/n2', createdAt: 1, assignedIp: undefined }];
    const plan = planClaim(holding(attachment(1), { claim: unwanted, unwantedForMs: 5_000, rivals }));
    expect(verdictOf(plan)).toMatchObject({ reason: 'TargetClaimed', status: { kind: 'clear' } });
  });

  it('B05: with nothing asked for and nothing held, reads nothing', () => {
    const over = {
      claim: claim({ wanted: { kind: 'nothing', graceMs: 0 } }),
      listing: undefined,
      resolution: undefined,
    };
    expect(verdictOf(planClaim(facts(over))).reason).toBe('NotRequested');
  });
});

describe('a claim that somebody else serves', () => {
  const authority = { kind: 'observe', message: 'Observed only' } as const;

  it('plans no step', () => {
    expect(verdictOf(planClaim(facts({ claim: claim({ authority }) }))).reason).toBe('ManagedByCilium');
  });

  it('says when the status and the cloud disagree, and changes neither', () => {
    const plan = planClaim(facts({ claim: claim({ authority, assignedIp: '198.51.100.1' }) }));
    expect(verdictOf(plan)).toMatchObject({ reason: 'DriftObserved', status: { kind: 'keep' } });
  });

  it('is content when they agree, and says what it has seen', () => {
    const pool = seen(listing(address(1, { attachment: attachment(1) })));
    const over = { claim: claim({ authority, assignedIp: '198.51.100.1' }), listing: pool };
    const verdict = verdictOf(planClaim(holding(attachment(1), over)));
    expect(verdict).toMatchObject({ reason: 'ManagedByCilium', status: { kind: 'set', ip: '198.51.100.1' } });
  });
});

describe('an attach whose outcome nobody told', () => {
  const attempt = { addressId: 'a-2', ip: '198.51.100.2', targetId: target().id, failedAt: NOW - 1_000 };

  it('makes the planner read the target and the pool again before anything else', () => {
    const over = { attempt, listing: seen(listing(address(1), address(2)), 5_000) };
    const need = { listing: NOW - 1_000, target: NOW - 1_000 };
    expect(planClaim(holding(undefined, over, 5_000))).toEqual({ kind: 'read', need });
  });

  it('is tried again with the same address only, and keeps the status meanwhile', () => {
    const plan = planClaim(facts({ attempt, claim: claim({ assignedIp: '198.51.100.2' }) }));
    expect(candidatesOf(plan)).toEqual(['a-2']);
    expect(plan).toMatchObject({ onFailure: { kind: 'keep' } });
  });

  it('gives way to other addresses when somebody else is seen to have this one, or the visibility window is over', () => {
    const elsewhere = address(2, { attachment: attachment(2, { interfaceId: 'eni-9' }) });
    expect(candidatesOf(planClaim(facts({ attempt, listing: seen(listing(address(1), elsewhere)) })))).toEqual(['a-1']);
    const old = { ...attempt, failedAt: NOW - 60_001 };
    expect(candidatesOf(planClaim(facts({ attempt: old })))).toEqual(['a-1', 'a-2']);
  });

  it('is waited for when the tags have changed since: what may be on the target is not displaced', () => {
    const plan = planClaim(facts({ attempt: { ...attempt, addressId: 'of-other-tags' } }));
    expect(plan).toEqual({ kind: 'read', need: { target: NOW } });
  });

  it('is not settled by a read from before it that shows the address it may have replaced', () => {
    const before = { attempt, listing: seen(listing(address(1, { attachment: attachment(1) })), 5_000) };
    expect(planClaim(holding(attachment(1), before, 5_000)).kind).toBe('read');
  });

  it("makes what it put there the claim's own, to be swapped when the tags have changed since", () => {
    const other = attachment(8, { addressId: 'a-8', ip: '198.51.100.8' });
    const plan = planClaim(holding(other, { attempt: { ...attempt, addressId: 'a-8', ip: '198.51.100.8' } }));
    expect(stepOf(plan)).toMatchObject({ do: 'attach', expected: { id: 'as-8' } });
  });
});

describe('an address that this process knows of', () => {
  it('voids older reads of the target, which show it empty', () => {
    const own = { ip: '198.51.100.8', at: NOW - 500 };
    const plan = planClaim(holding(undefined, { own, listing: seen(listing(address(1)), 1_000) }, 1_000));
    expect(plan).toMatchObject({ kind: 'read', need: { target: NOW - 500 } });
  });

  it('is swapped when the tags have changed before the status names it', () => {
    const other = attachment(8, { addressId: 'a-8', ip: '198.51.100.8' });
    const plan = planClaim(holding(other, { own: { ip: '198.51.100.8', at: NOW - 500 } }));
    expect(stepOf(plan)).toMatchObject({ do: 'attach', expected: { id: 'as-8' } });
  });
});

describe('what was attached while its wish was taken back', () => {
  const wanted = { kind: 'nothing', graceMs: 5_000 } as const;

  it('goes at once, as no status ever named it', () => {
    const provisional = { attachment: attachment(1), targetId: target().id, madeAt: NOW - 100 };
    const plan = planClaim(facts({ claim: claim({ wanted }), provisional }));
    expect(stepOf(plan)).toEqual({ do: 'detach', attachment: attachment(1) });
  });

  it('is looked for while it may only be hidden', () => {
    const attempt = { addressId: 'a-1', ip: '198.51.100.1', targetId: target().id, failedAt: NOW - 100 };
    const plan = planClaim(facts({ claim: claim({ wanted }), attempt }));
    expect(plan).toEqual({ kind: 'read', need: { target: NOW } });
    const seenThere = planClaim(holding(attachment(1), { claim: claim({ wanted }), attempt, listing: undefined }));
    expect(stepOf(seenThere)).toEqual({ do: 'detach', attachment: attachment(1) });
  });
});

describe('an address that the status does not name yet', () => {
  it('is named after a read of now, not after one that was made for others a while ago', () => {
    const listed = seen(listing(address(1, { attachment: attachment(1) })), 20_000);
    const plan = planClaim(holding(attachment(1), { listing: listed }, 20_000));
    expect(plan).toEqual({ kind: 'read', need: { target: NOW - 15_000 } });
    const known = claim({ assignedIp: '198.51.100.1' });
    expect(planClaim(holding(attachment(1), { listing: listed, claim: known }, 20_000)).kind).toBe('rest');
  });
});

describe('a read that this run asked for', () => {
  it('is fresh enough however long the cloud took to answer', () => {
    const slow = { since: NOW - 9_000, listing: seen(listing(), 8_000) };
    expect(planClaim(facts(slow)).kind).toBe('rest');
    const gone = claim({ wanted: { kind: 'nothing', graceMs: 0 }, assignedIp: '198.51.100.1' });
    const plan = planClaim(holding(attachment(1), { since: NOW - 9_000, claim: gone, listing: undefined }, 8_000));
    expect(stepOf(plan).do).toBe('detach');
  });
});
