import { describe, expect, it } from '@jest/globals';
import type { Eip } from '../../api/eip.ts';
import type { Verdict } from '../../core/plan.ts';
import { attachment } from '../../testing/facts.ts';
import { eip } from '../../testing/objects.ts';
import { placeChange, statusChange } from './eip-status.ts';

const NOW = '2026-01-01T00:10:00Z';
const CONTEXT = { resourceId: 'web-0', now: NOW, way: { kind: 'unknown' } } as const;
const SELECTOR = { kind: 'pod', podName: 'web-0' } as const;

function verdict(status: Verdict['status'], reason: Verdict['reason'] = 'AddressAssigned'): Verdict {
  return { reason, message: 'words', status, recheck: { kind: 'resync' } };
}

const SET = verdict({ kind: 'set', ip: '198.51.100.1', attachment: attachment(1) });
const HELD = {
  allocationId: 'a-1',
  publicIpAddress: '198.51.100.1',
  eni: 'eni-1',
  privateIpAddress: '10.0.0.1',
  resourceId: 'web-0',
  associationId: 'as-1',
};

/** The Eip as it is after the change was written. */
function after(before: Eip, change: ReturnType<typeof statusChange>): Eip {
  const merged = Object.entries({ ...before.status, ...change }).filter(([, value]) => value !== null);
  return { ...before, status: { conditions: [], ...Object.fromEntries(merged) } };
}

describe('the status of an Eip', () => {
  it('says who has the address, and since when it is ready', () => {
    const change = statusChange(eip('web', SELECTOR), SET, CONTEXT);
    const ready = { type: 'Ready', status: 'True', reason: 'AddressAssigned', message: 'words' };
    const conditions = [{ ...ready, lastTransitionTime: NOW, observedGeneration: 1 }];
    expect(change).toEqual({ ...HELD, conditions, observedGeneration: 1 });
  });

  it('is not written again while nothing changes', () => {
    const before = eip('web', SELECTOR);
    const written = after(before, statusChange(before, SET, CONTEXT));
    expect(statusChange(written, SET, { ...CONTEXT, now: '2026-01-01T00:20:00Z' })).toBeUndefined();
  });

  it('clears by null, as the predecessor does, and only what is there', () => {
    const before = eip('web', SELECTOR, HELD);
    const own = verdict({ kind: 'own', address: { id: 'a-1', ip: '198.51.100.1' } }, 'TargetMissing');
    expect(statusChange(before, own, CONTEXT)).toMatchObject({
      eni: null,
      privateIpAddress: null,
      resourceId: null,
      associationId: null,
    });
    expect(statusChange(before, own, CONTEXT)).not.toHaveProperty('allocationId');
    const clear = statusChange(before, verdict({ kind: 'clear' }, 'AddressLost'), CONTEXT);
    expect(clear).toMatchObject({ allocationId: null, publicIpAddress: null, associationId: null });
  });

  it('says where the address is about to be, and that it is not there yet', () => {
    const before = eip('web', SELECTOR, { ...HELD, resourceId: 'other' });
    const place = { interfaceId: 'eni-7', privateIp: '10.0.0.7' };
    const own = verdict({ kind: 'own', address: { id: 'a-1', ip: '198.51.100.1' }, place }, 'AddressReserved');
    expect(statusChange(before, own, CONTEXT)).toMatchObject({
      eni: 'eni-7',
      privateIpAddress: '10.0.0.7',
      resourceId: CONTEXT.resourceId,
      associationId: null,
    });
  });

  it('keeps what was true when a read fails, and tells the failure of what was not', () => {
    const keep = verdict({ kind: 'keep' }, 'CloudUnavailable');
    const before = eip('web', SELECTOR);
    const ready = after(before, statusChange(before, SET, CONTEXT));
    expect(statusChange(ready, keep, CONTEXT)).toBeUndefined();
    expect(statusChange(before, keep, CONTEXT)).toMatchObject({ conditions: [{ reason: 'CloudUnavailable' }] });
    expect(statusChange(before, verdict({ kind: 'keep' }, 'Confirming'), CONTEXT)).toBeUndefined();
  });

  it('keeps the time of a condition whose status is the same, and conditions of others', () => {
    const other = { type: 'EgressVerified', status: 'True' } as const;
    const since = { type: 'Ready', status: 'False', reason: 'X', lastTransitionTime: '2025-01-01T00:00:00Z' } as const;
    const before = eip('web', SELECTOR, { conditions: [since, other] });
    const change = statusChange(before, verdict({ kind: 'keep' }, 'PoolExhausted'), CONTEXT);
    expect(change?.['conditions']).toEqual([
      other,
      expect.objectContaining({ reason: 'PoolExhausted', lastTransitionTime: '2025-01-01T00:00:00Z' }),
    ]);
  });

  it('says where the address is about to be before it is confirmed', () => {
    const target = { interfaceId: 'eni-1', privateIp: '10.0.0.1' };
    const before = eip('web', SELECTOR, { allocationId: 'a-1', associationId: 'as-0' });
    const change = placeChange(before, { resourceId: 'web-0', target });
    expect(change).toEqual({ eni: 'eni-1', privateIpAddress: '10.0.0.1', resourceId: 'web-0', associationId: null });
    expect(placeChange(after(before, change), { resourceId: 'web-0', target })).toBeUndefined();
  });
});
