import { describe, expect, it } from '@jest/globals';
import type { Address } from '@static-ip/provider';
import type { Condition } from '../../api/condition.ts';
import type { Eip } from '../../api/eip.ts';
import { address, attachment } from '../../testing/facts.ts';
import { ago, eip, node, pod, storeOf, WALL, withMetadata } from '../../testing/objects.ts';
import { eipClaim } from '../eip/eip-claim.ts';
import { chooseTarget } from '../eip/eip-world.ts';
import { describeEip } from './describe-eip.ts';
import type { ReadEip } from './describe-eip.ts';
import type { ObjectStatus } from './object-status.ts';

const IP = '198.51.100.1';
const SELECTOR = { kind: 'pod', podName: 'web-0' } as const;
const READY: Condition = { type: 'Ready', status: 'True', reason: 'AddressAssigned', lastTransitionTime: ago(60_000) };
const PLACE = { eni: 'eni-1', privateIpAddress: '10.0.0.7', resourceId: 'web-0' };
const HELD = { allocationId: 'a-1', publicIpAddress: IP, ...PLACE, associationId: 'as-1' };
const SERVED = eip('web', SELECTOR, { ...HELD, conditions: [READY] });
const ON_POD = address(1, { attachment: attachment(1, { privateIp: '10.0.0.7' }) });

/** The Eip among these pods, on one node. */
function read(object: Eip, pods = [pod('web-0')]): ReadEip {
  const stores = { eips: storeOf(object), pods: storeOf(...pods), nodes: storeOf(node('n1')) };
  const choice = chooseTarget(object, stores, { now: WALL, unreadyGraceMs: 0 });
  const cluster = { uid: 'c', name: 'prod', defaultTags: {} };
  return { eip: object, claim: eipClaim(object, { cluster, choice, isInherited: false }) };
}

function told(object: Eip, ...addresses: readonly Address[]): ObjectStatus {
  return describeEip(read(object), new Map(addresses.map((one) => [one.id, one])));
}

describe('an Eip', () => {
  it('is ready when the cloud shows its address where its status says, since its condition says so', () => {
    expect(told(SERVED, ON_POD)).toEqual({
      kind: 'Eip',
      name: 'default/web',
      wants: 'an allocated address',
      address: IP,
      target: 'Pod/web-0',
      privateIp: '10.0.0.7',
      state: 'Ready',
      reason: 'AddressAssigned',
      since: ago(60_000),
    });
  });

  it('waits with the reason, message and time of its condition', () => {
    const why = { reason: 'QuotaExceeded', message: 'the quota', lastTransitionTime: ago(5_000) };
    const waiting = eip('web', SELECTOR, { conditions: [{ type: 'Ready', status: 'False', ...why }] });
    const { lastTransitionTime: since, ...words } = why;
    expect(told(waiting)).toMatchObject({ state: 'Waiting', target: 'Pod/web-0', since, ...words });
  });

  it.each([
    ['does not exist', [], 'AddressLost', 'the cloud has no address a-1'],
    ['is attached to nothing', [address(1)], 'AddressLost', 'attached to nothing'],
    [
      'is attached elsewhere',
      [address(1, { attachment: attachment(1, { interfaceId: 'eni-9' }) })],
      'AddressInUse',
      'attached to eni-9 (10.0.0.1)',
    ],
  ] as const)('is a mismatch when the address in its status %s', (_what, addresses, reason, words) => {
    const status = told(SERVED, ...addresses);
    expect(status).toMatchObject({ state: 'Mismatch', address: IP, reason });
    expect(status.message).toContain(words);
  });

  it('is no mismatch while its address waits for a pod', () => {
    const ready = { ...READY, status: 'False', reason: 'TargetMissing' } as const;
    const reserved = eip('web', SELECTOR, { allocationId: 'a-1', publicIpAddress: IP, conditions: [ready] });
    expect(told(reserved, address(1))).toMatchObject({ state: 'Waiting', reason: 'TargetMissing', address: IP });
  });

  it('is not served when nothing is said about it, and ready all the same when the cloud shows its address in place', () => {
    const { associationId: _none, ...predecessor } = HELD;
    const old = eip('web', SELECTOR, predecessor);
    expect(told(eip('web', SELECTOR))).toMatchObject({ state: 'Waiting', reason: 'NotServed' });
    expect(told(old, ON_POD)).toMatchObject({ state: 'Ready', reason: 'NotServed', address: IP });
    expect(told(old, address(1))).toMatchObject({ state: 'Mismatch', reason: 'AddressLost' });
    expect(describeEip(read(old), undefined)).toMatchObject({ state: 'Waiting', reason: 'NotServed' });
  });

  it.each([
    ['is gone', [], 'There is no pod web-0'],
    ['has another address', [pod('web-0', { podIp: '10.0.0.8' })], 'The pod has 10.0.0.8 now'],
  ])('is not served when its condition says ready and its pod %s', (_what, pods, words) => {
    const status = describeEip(read(SERVED, pods), new Map([[ON_POD.id, ON_POD]]));
    expect(status).toMatchObject({ state: 'Waiting', reason: 'NotServed', address: IP });
    expect(status.message).toContain(words);
  });

  it('that is being deleted gives its address back, with the reason why it has not yet', () => {
    const gone = withMetadata(SERVED, { deletionTimestamp: ago(9_000) });
    const denied = { type: 'Ready', status: 'False', reason: 'AccessDenied', message: 'ReleaseAddress' } as const;
    const stuck = { ...gone, status: { ...gone.status, conditions: [denied] } };
    expect(told(gone, ON_POD)).toMatchObject({ state: 'Releasing', since: ago(9_000) });
    expect(told(stuck, ON_POD)).toMatchObject({
      state: 'Releasing',
      reason: 'AccessDenied',
      message: 'ReleaseAddress',
    });
  });

  it('is ready, and says so, when traffic was seen to leave without its address', () => {
    const leaks = { reason: 'Masqueraded', message: 'leaves as 203.0.113.7' };
    const seen: Condition = { type: 'EgressVerified', status: 'False', ...leaks };
    const conditions = [READY, seen];
    const status = told({ ...SERVED, status: { ...SERVED.status, conditions } }, ON_POD);
    expect(status).toMatchObject({ state: 'Ready', ...leaks });
  });

  it('is told by its condition alone where the cloud was not read', () => {
    expect(describeEip(read(SERVED), undefined)).toMatchObject({ state: 'Ready', address: IP });
  });
});
