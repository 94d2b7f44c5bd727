import { describe, expect, it } from '@jest/globals';
import { address, attachment, facts, listing, NOW, ownClaim, seen, target } from '../testing/facts.ts';
import { currentAttachment, isAttachmentForgotten } from './current-attachment.ts';
import type { Facts } from './facts.ts';

const HERE = { interfaceId: 'eni-1', privateIp: '10.0.0.1' };
const listed = address(1, { attachment: attachment(7) });
const forgets = (over: Partial<Facts>): boolean => isAttachmentForgotten(facts(over));
const idOf = (over: Partial<Facts>, of = listed): string | undefined => currentAttachment(facts(over), of)?.id;
const madeAt = NOW - 5;
const provisional = { attachment: { ...attachment(8), addressId: 'a-1' }, targetId: target().id, madeAt };
const recorded = ownClaim({
  assignedId: 'a-1',
  assignedIp: '198.51.100.1',
  assignedPlace: HERE,
  assignedAttachment: 'as-9',
});

describe('where a claim’s own address is attached', () => {
  it('is what the listing shows', () => {
    expect(idOf({})).toBe('as-7');
    expect(idOf({}, address(1))).toBeUndefined();
  });

  it('is what was attached since, whatever an older listing shows', () => {
    expect(idOf({ provisional })).toBe('as-8');
    expect(idOf({ claim: recorded, changedAt: NOW })).toBe('as-9');
    expect(idOf({ claim: recorded, changedAt: NOW - 20_000 })).toBe('as-7');
  });

  it('is nothing that was taken off since', () => {
    expect(idOf({ detached: new Set(['as-7']) })).toBeUndefined();
    expect(idOf({ detached: new Set(['as-7']), provisional })).toBe('as-8');
    expect(idOf({ detached: new Set(['as-7', 'as-8']), provisional })).toBeUndefined();
    const listing0 = { listing: seen(listing(listed), 1_000) };
    expect(idOf({ ...listing0, claim: recorded, changedAt: NOW, detached: new Set(['as-9']) })).toBe('as-7');
  });
});

describe('an attachment of this process that nothing tells of', () => {
  const done = { changedAt: NOW - 5, own: { ip: '198.51.100.1', at: NOW - 2 } };

  it('is looked for in a newer listing, as after a failed write of the status', () => {
    expect(forgets(done)).toBe(true);
    expect(forgets({ ...done, listing: seen(listing(), 1) })).toBe(false);
  });

  it('is none while it is remembered, written down, or taken off since', () => {
    expect(forgets({ ...done, provisional })).toBe(false);
    expect(forgets({ ...done, claim: recorded })).toBe(false);
    expect(forgets({ ...done, changedAt: NOW - 1 })).toBe(false);
    expect(forgets({})).toBe(false);
  });
});
