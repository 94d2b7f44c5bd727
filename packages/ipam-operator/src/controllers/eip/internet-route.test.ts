import { describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../core/plan.ts';
import type { WayOut } from '../../core/way-out.ts';
import { attachment } from '../../testing/facts.ts';
import { eip } from '../../testing/objects.ts';
import { statusChange } from './eip-status.ts';
import { routeCondition } from './internet-route.ts';

const NOW = '2026-01-01T00:10:00Z';
const SELECTOR = { kind: 'pod', podName: 'web-0' } as const;
const CLOSED: WayOut = { kind: 'closed', why: 'no route' };
const MESSAGE = '198.51.100.1 is attached, but no route';
const SHOWN = {
  type: 'InternetRoute',
  status: 'False',
  reason: 'NoInternetRoute',
  message: MESSAGE,
  lastTransitionTime: '2025-01-01T00:00:00Z',
  observedGeneration: 1,
} as const;

function verdict(status: Verdict['status']): Verdict {
  return { reason: 'AddressAssigned', message: 'words', status, recheck: { kind: 'resync' } };
}

const SET = verdict({ kind: 'set', ip: '198.51.100.1', attachment: attachment(1) });
const without = eip('web', SELECTOR);
const warned = eip('web', SELECTOR, { conditions: [SHOWN] });

describe('the condition InternetRoute', () => {
  it('is there only where the way is missing, and keeps its time', () => {
    expect(routeCondition(without, SET, { way: { kind: 'open' }, now: NOW })).toBeUndefined();
    expect(routeCondition(without, SET, { way: CLOSED, now: NOW })).toEqual({ ...SHOWN, lastTransitionTime: NOW });
    expect(routeCondition(warned, SET, { way: CLOSED, now: NOW })).toEqual(SHOWN);
    expect(routeCondition(warned, SET, { way: { kind: 'open' }, now: NOW })).toBeUndefined();
  });

  it('stays as it is while nothing is known, and goes with the attachment', () => {
    const unknown = { way: { kind: 'unknown' }, now: NOW } as const;
    expect(routeCondition(warned, SET, unknown)).toEqual(SHOWN);
    expect(routeCondition(without, SET, unknown)).toBeUndefined();
    expect(routeCondition(warned, verdict({ kind: 'keep' }), { way: CLOSED, now: NOW })).toEqual(SHOWN);
    expect(routeCondition(warned, verdict({ kind: 'clear' }), { way: CLOSED, now: NOW })).toBeUndefined();
  });

  it('stands beside Ready, and is written once', () => {
    const context = { resourceId: 'web-0', now: NOW, way: CLOSED };
    const change = statusChange(without, SET, context);
    expect(change?.['conditions']).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'InternetRoute', status: 'False', message: MESSAGE },
    ]);
  });
});
