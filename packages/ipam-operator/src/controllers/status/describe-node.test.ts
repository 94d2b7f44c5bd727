import { describe, expect, it } from '@jest/globals';
import { StaticIpError } from '@static-ip/provider';
import type { Resolution } from '@static-ip/provider';
import type { Claim } from '../../core/claim.ts';
import { rest } from '../../core/plan.ts';
import { settledOn } from '../../core/own-status.ts';
import { address, attachment, claim, target } from '../../testing/facts.ts';
import type { SettledPlan } from '../planning.ts';
import { describeNode } from './describe-node.ts';

const IP = '198.51.100.1';
const REF = target().ref;
const HOLDS_IT: Resolution = { ref: REF, target: target({ holding: attachment(1) }) };
const HOLDS_NOTHING: Resolution = { ref: REF, target: target() };

const settled = (plan: ReturnType<typeof rest>): SettledPlan => {
  if (plan.kind === 'read') throw new Error('a plan that needs facts');
  return plan;
};
const SETTLED = settled(settledOn(attachment(1)));
const EXHAUSTED = settled(rest({ reason: 'PoolExhausted', message: 'none is free' }));
const ATTACH: SettledPlan = {
  kind: 'step',
  step: { do: 'attach', candidates: [{ kind: 'address', address: address(1) }], target: target() },
  onFailure: { kind: 'keep' },
};
const GONE: Claim['wanted'] = { kind: 'nothing', graceMs: 1_000 };
const REFUSED: Claim['wanted'] = { kind: 'refused', refusal: { reason: 'TagsInvalid', message: 'too long' } };

describe('a CiliumNode', () => {
  it('is ready when its instance holds the address that its status names', () => {
    const status = describeNode(claim({ assignedIp: IP }), { plan: SETTLED, resolution: HOLDS_IT });
    expect(status).toEqual({
      kind: 'CiliumNode',
      name: 'n1',
      wants: 'pool=a',
      address: IP,
      target: 'i-1',
      state: 'Ready',
      reason: 'AddressAssigned',
    });
  });

  it('waits with the planner’s reason, since it was created', () => {
    const status = describeNode(claim(), { plan: EXHAUSTED, resolution: HOLDS_NOTHING });
    expect(status).toMatchObject({ state: 'Waiting', reason: 'PoolExhausted', message: 'none is free' });
    expect(status).toMatchObject({ address: undefined, since: '1970-01-01T00:00:01.000Z' });
  });

  it('waits for an operator where an address is to be had, or is there and not told', () => {
    const free = describeNode(claim(), { plan: ATTACH, resolution: HOLDS_NOTHING });
    const there = describeNode(claim(), { plan: SETTLED, resolution: HOLDS_IT });
    expect(free).toMatchObject({ state: 'Waiting', reason: 'NotServed', message: expect.stringContaining(IP) });
    expect(there).toMatchObject({ state: 'Waiting', reason: 'NotServed', message: expect.stringContaining(IP) });
  });

  it('keeps what it has while it waits for what its tags ask for now', () => {
    const status = describeNode(claim({ assignedIp: IP }), { plan: EXHAUSTED, resolution: HOLDS_IT });
    expect(status).toMatchObject({ state: 'Waiting', address: IP, reason: 'PoolExhausted' });
  });

  it.each([
    ['nothing', HOLDS_NOTHING, ATTACH, 'AddressLost', 'i-1 holds no static address'],
    [
      'another address',
      { ref: REF, target: target({ holding: attachment(2) }) },
      EXHAUSTED,
      'AddressLost',
      'holds 198.51.100.2; none is free',
    ],
    [
      'is unknown to the cloud',
      { ref: REF, error: new StaticIpError('notFound', 'gone') },
      EXHAUSTED,
      'InstanceNotFound',
      'does not know i-1',
    ],
  ] as const)(
    'is a mismatch when its status names an address and its instance holds %s',
    (_what, resolution, plan, reason, words) => {
      const status = describeNode(claim({ assignedIp: IP }), { plan, resolution });
      expect(status).toMatchObject({ state: 'Mismatch', address: IP, reason });
      expect(status?.message).toContain(`The status names ${IP}, but`);
      expect(status?.message).toContain(words);
    },
  );

  it('is no mismatch while the cloud cannot say what its instance holds', () => {
    const resolution = { ref: REF, error: new StaticIpError('notReady', 'stopped') };
    const plan = settled(rest({ reason: 'InstanceNotRunning', message: 'it is stopped' }));
    const status = describeNode(claim({ assignedIp: IP }), { plan, resolution });
    expect(status).toMatchObject({ state: 'Waiting', reason: 'InstanceNotRunning' });
  });

  it('gives its address back when its tags are gone, and is not told of when it has none', () => {
    const plan = settled(rest({ reason: 'TagsRemoved', message: 'grace' }));
    const releasing = describeNode(claim({ wanted: GONE, assignedIp: IP }), { plan, resolution: HOLDS_IT });
    expect(releasing).toMatchObject({ state: 'Releasing', reason: 'TagsRemoved', address: IP });
    expect(describeNode(claim({ wanted: GONE }), undefined)).toBeUndefined();
  });

  it('that Cilium’s own operator serves is ready when the cloud agrees, and a mismatch when not', () => {
    const plan = settled(rest({ reason: 'ManagedByCilium', message: 'Observed only' }));
    const drift = settled(rest({ reason: 'DriftObserved', message: 'differs' }));
    const observed = claim({ assignedIp: IP });
    expect(describeNode(observed, { plan, resolution: HOLDS_IT })).toMatchObject({
      state: 'Ready',
      message: 'Observed only',
    });
    expect(describeNode(observed, { plan: drift, resolution: HOLDS_NOTHING })?.state).toBe('Mismatch');
  });

  it('is told by its own word where the cloud was not read', () => {
    expect(describeNode(claim({ assignedIp: IP }), undefined)).toMatchObject({ state: 'Ready', address: IP });
    expect(describeNode(claim({ wanted: REFUSED }), undefined)).toMatchObject({
      state: 'Waiting',
      reason: 'TagsInvalid',
    });
    const unplaced = { reason: 'InstanceUnknown', message: 'no id' } as const;
    expect(describeNode(claim({ target: undefined, unplaced }), undefined)?.reason).toBe('InstanceUnknown');
    const waiting = describeNode(claim(), undefined);
    expect(waiting).toMatchObject({ state: 'Waiting', message: expect.stringContaining('cloud') });
    expect(waiting?.reason).toBeUndefined();
  });
});
