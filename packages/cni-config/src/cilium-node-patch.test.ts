import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ciliumNodePatch } from './cilium-node-patch.ts';

/** RFC 7396 on the one map, as the API server does it. */
function mergePatch(
  current: Record<string, string> | undefined,
  patch: Readonly<Record<string, string | null>> | null,
) {
  if (patch === null) return undefined;
  const merged = new Map(Object.entries(current ?? {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

const tags = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'pool')), fc.string());

describe('ciliumNodePatch', () => {
  it('touches the one key and nothing else', () => {
    expect(JSON.stringify(ciliumNodePatch({ b: '', a: '0' }))).toBe(
      '{"spec":{"ipam":{"static-ip-tags":{"a":"0","b":""}}}}',
    );
  });

  it('removes the key for undefined and empties it for an empty map', () => {
    expect(ciliumNodePatch(undefined)).toEqual({ spec: { ipam: { 'static-ip-tags': null } } });
    expect(ciliumNodePatch({})).toEqual({ spec: { ipam: { 'static-ip-tags': {} } } });
  });

  it('takes stale tags away, which a merge patch would leave', () => {
    expect(ciliumNodePatch({ pool: 'b' }, { pool: 'a', tier: 'x' })).toEqual({
      spec: { ipam: { 'static-ip-tags': { pool: 'b', tier: null } } },
    });
  });

  it('makes the map of the object equal to the tags, whatever was there', () => {
    fc.assert(
      fc.property(tags, tags, (wanted, current) => {
        const patch = ciliumNodePatch(wanted, current).spec.ipam['static-ip-tags'];
        expect(new Map(Object.entries(mergePatch(current, patch) ?? {}))).toEqual(new Map(Object.entries(wanted)));
      }),
    );
  });
});
