import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { REASONS } from './reasons.ts';

const PAGE = readFileSync(new URL('../../../../docs/node-agent.md', import.meta.url), 'utf8');

/** The rows of the table of reasons; one row may be about several. */
const ROWS = PAGE.split('\n').flatMap((line) => {
  const [, first = '', event = '', meaning = '', action = ''] = line.split('|').map((cell) => cell.trim());
  const isRow = /^`[A-Z]\w+`(, `[A-Z]\w+`)*$/.test(first);
  const reasons = isRow ? [...first.matchAll(/`(\w+)`/g)].map(([, reason = '']) => reason) : [];
  return reasons.map((reason) => ({ reason, event: event || 'none', meaning, action }));
});

describe('the page about the node agent', () => {
  it('says of every reason its kind of Event, what it means and what to do, and of no other', () => {
    expect(Object.fromEntries(ROWS.map(({ reason, event }) => [reason, event]))).toEqual(REASONS);
    expect(ROWS.filter(({ meaning, action }) => meaning === '' || action === '')).toEqual([]);
  });
});
