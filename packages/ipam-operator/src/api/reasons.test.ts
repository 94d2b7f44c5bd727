import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { REASONS } from './reasons.ts';

const PAGE = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');

/** The rows of the tables of reasons: reason, kind of Event, meaning, action. */
const ROWS = PAGE.split('\n').flatMap((line) => {
  const cells = line.split('|').map((cell) => cell.trim());
  const reason = /^`([A-Z][A-Za-z]+)`$/.exec(cells[1] ?? '')?.[1];
  return reason === undefined ? [] : [{ reason, event: cells[2], meaning: cells[3], action: cells[4] }];
});

describe('the page for operations', () => {
  it('has one row for every reason, with meaning and action, and none for another', () => {
    expect(ROWS.map(({ reason }) => reason).toSorted()).toEqual(Object.keys(REASONS).toSorted());
    expect(ROWS.filter(({ meaning, action }) => !meaning || !action)).toEqual([]);
  });

  it('says for each reason which kind of Event tells it', () => {
    const documented = Object.fromEntries(ROWS.map(({ reason, event }) => [reason, event || 'none']));
    expect(documented).toEqual(REASONS);
  });
});
