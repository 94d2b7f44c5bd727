import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { compileGlobs } from './globs.ts';

describe('filter values', () => {
  it.each([
    ['a*', 'ab', true],
    ['a*', 'a', true],
    ['a*', 'ba', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*', '', true],
    [String.raw`a\*`, 'a*', true],
    [String.raw`a\*`, 'ab', false],
    [String.raw`a\?`, 'a?', true],
    [String.raw`a\?`, 'ab', false],
    [String.raw`a\\`, 'a\\', true],
    [String.raw`a\\*`, String.raw`a\xyz`, true],
    ['a\\', 'a\\', true],
    ['Pool', 'pool', false],
    ['a.c', 'abc', false],
    ['(a+)[b]{c}|^$', '(a+)[b]{c}|^$', true],
    ['?', '🚀', true],
    ['a*c', 'a\nc', true],
  ])('B06: %j against %j gives %s', (pattern, value, expected) => {
    expect(compileGlobs([pattern])(value)).toBe(expected);
  });

  it('match when any of them does', () => {
    const matches = compileGlobs(['x', 'y*']);
    expect(['x', 'yes', 'z'].map((value) => matches(value))).toEqual([true, true, false]);
  });

  it('B06: match exactly the value they were escaped from', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '*', '?', '\\', '.', '$', '[') });
    fc.assert(
      fc.property(text, text, (value, other) => {
        const matches = compileGlobs([value.replaceAll(/[*?\\]/g, String.raw`\$&`)]);
        expect(matches(value)).toBe(true);
        expect(matches(other)).toBe(other === value);
      }),
    );
  });
});
