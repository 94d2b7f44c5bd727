import { describe, expect, it } from '@jest/globals';
import { parseTags } from './parse-tags.ts';

describe('tags of a flag', () => {
  it.each([
    ['pool=a', { pool: 'a' }],
    ['pool=a, tier=b=c,empty=', { pool: 'a', tier: 'b=c', empty: '' }],
    ['{"pool":"a,b"}', { pool: 'a,b' }],
    ['{}', {}],
  ])('are read: %s', (text, tags) => {
    expect(parseTags(text)).toEqual(tags);
  });

  it.each([
    ['pool', '"pool" is not key=value'],
    ['=a', '"=a" is not key=value'],
    ['pool=a,,b=c', '"" is not key=value'],
    ['pool=a,pool=b', 'two values'],
    ['{"n":5}', 'the value of n is not a string'],
    ['{"n":', 'not JSON'],
  ])('are refused with what is wrong: %s', (text, why) => {
    expect(() => parseTags(text)).toThrow(new RegExp(why.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  });
});
