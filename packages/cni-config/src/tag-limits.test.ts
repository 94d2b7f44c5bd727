import { describe, expect, it } from '@jest/globals';
import { validateTags } from './tag-limits.ts';

const codes = (tags: Record<string, string>, use: 'select' | 'write') => validateTags(tags, { use }).map((p) => p.code);

const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`k${index}`, '']));

describe('validateTags', () => {
  it('accepts empty values, any characters and the empty map', () => {
    expect(codes({ pool: '', 'a:b/c': '*?\\', __proto__x: 'é' }, 'write')).toEqual([]);
    expect(codes({}, 'select')).toEqual([]);
  });

  it('counts code points, not UTF-16 units', () => {
    expect(codes({ ['\u{1F600}'.repeat(128)]: '\u{1F600}'.repeat(256) }, 'select')).toEqual([]);
    expect(codes({ ['\u{1F600}'.repeat(129)]: '\u{1F600}'.repeat(257) }, 'select')).toEqual([
      'key-too-long',
      'value-too-long',
    ]);
  });

  it('selects by keys of 128 characters but writes only 127', () => {
    expect(codes({ ['k'.repeat(128)]: '' }, 'select')).toEqual([]);
    expect(codes({ ['k'.repeat(128)]: '' }, 'write')).toEqual(['key-too-long']);
    expect(codes({ ['k'.repeat(127)]: '' }, 'write')).toEqual([]);
  });

  it('refuses an empty key', () => {
    expect(codes({ '': 'x' }, 'select')).toEqual(['key-empty']);
  });

  it('selects by keys of AWS but does not write them, in any letter case', () => {
    const tags = { 'aws:cloudformation:stack-name': 'x', 'AWS:x': 'y' };
    expect(codes(tags, 'select')).toEqual([]);
    expect(codes(tags, 'write')).toEqual(['key-reserved', 'key-reserved']);
    expect(codes({ awsome: 'x' }, 'write')).toEqual([]);
  });

  it('allows 50 tags and no more', () => {
    expect(codes(many(50), 'select')).toEqual([]);
    expect(codes(many(51), 'select')).toEqual(['too-many-tags']);
  });

  it('names the key and both numbers', () => {
    expect(validateTags({ pool: 'v'.repeat(257) }, { use: 'write' })).toEqual([
      { code: 'value-too-long', key: 'pool', message: 'a tag value has 257 characters, EC2 allows 256: shorten it' },
    ]);
  });
});
