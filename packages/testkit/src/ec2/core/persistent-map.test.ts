import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { emptyMap, lookUp, valuesOf, withEntry, withoutEntry } from './persistent-map.ts';

describe('persistent map', () => {
  it('behaves like a Map under any sequence of changes, and keeps every earlier version', () => {
    const change = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'dd', 'eee'), value: fc.option(fc.nat()) });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const model = new Map<string, number>();
        let map = emptyMap<number>();
        const versions: [typeof map, number[]][] = [];
        for (const { key, value } of changes) {
          if (value === null) model.delete(key);
          else model.set(key, value);
          map = value === null ? withoutEntry(map, key) : withEntry(map, key, value);
          versions.push([map, [...model.values()].toSorted((left, right) => left - right)]);
          expect(lookUp(map, key)).toBe(value ?? undefined);
          expect(map.size).toBe(model.size);
        }
        for (const [version, values] of versions) {
          expect(valuesOf(version).toSorted((left, right) => left - right)).toEqual(values);
        }
      }),
    );
  });
});
