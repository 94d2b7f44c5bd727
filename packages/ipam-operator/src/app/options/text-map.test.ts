import { describe, expect, it } from '@jest/globals';
import { textMap } from './text-map.ts';

describe('an option that is a JSON object of texts', () => {
  it('is read as it is written, and empty when it is not given', () => {
    expect(textMap('{"team":"edge"}')).toEqual({ team: 'edge' });
    expect(textMap(undefined)).toEqual({});
  });

  it.each([
    ['["team"]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['"team"', 'it is not a JSON object'],
    ['{team:edge}', 'it is not valid JSON'],
    ['{"team":1}', 'the value of team must be a text, in quotes'],
  ])('is refused as %s', (json, reason) => {
    expect(() => textMap(json)).toThrow(reason);
  });
});
