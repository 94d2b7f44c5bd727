import { describe, expect, it } from '@jest/globals';
import type { WayOut } from '../../core/way-out.ts';
import { attachment } from '../../testing/facts.ts';
import { createRouteWarnings } from './route-warnings.ts';

const SET = { status: { kind: 'set', ip: '198.51.100.1', attachment: attachment(1) } } as const;
const CLAIM = { key: 'cilium-node/n1' };

describe('a missing way to the internet', () => {
  it('is told once, and again when it is missing again, or for another reason', () => {
    let way: WayOut = { kind: 'closed', why: 'A' };
    const warnings = createRouteWarnings(() => way);
    const said = (): readonly string[] => warnings.of(CLAIM, SET).map(({ message }) => message);
    expect([said(), said()]).toEqual([['198.51.100.1 is attached, but A'], []]);
    way = { kind: 'unknown' };
    expect(said()).toEqual([]);
    way = { kind: 'closed', why: 'A' };
    expect(said()).toEqual([]);
    way = { kind: 'closed', why: 'B' };
    expect(said()).toEqual(['198.51.100.1 is attached, but B']);
    way = { kind: 'open' };
    expect(said()).toEqual([]);
    way = { kind: 'closed', why: 'B' };
    expect(said()).toHaveLength(1);
  });

  it('is no matter for a node that has no address', () => {
    const warnings = createRouteWarnings(() => ({ kind: 'closed', why: 'A' }));
    expect(warnings.of(CLAIM, { status: { kind: 'clear' } })).toEqual([]);
  });
});
