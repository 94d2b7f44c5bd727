import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../client/kube-client.ts';
import { isRawObject } from '../json/shape.ts';
import { addFinalizerPatch, removeFinalizerPatch } from './finalizer-patch.ts';
import { mergePatchIfChanged } from './merge-patch.ts';

describe('merge patch if changed', () => {
  it.each<{ what: string; current: unknown; patch: JsonObject; want: JsonObject | undefined }>([
    { what: 'an equal value', current: { a: { b: 1 } }, patch: { a: { b: 1 } }, want: undefined },
    { what: 'one of two values', current: { a: { b: 1, c: 1 } }, patch: { a: { b: 1, c: 2 } }, want: { a: { c: 2 } } },
    { what: 'a value where there is nothing', current: {}, patch: { a: { b: '' } }, want: { a: { b: '' } } },
    { what: 'the removal of a value', current: { a: 1 }, patch: { a: null }, want: { a: null } },
    { what: 'the removal of nothing', current: {}, patch: { a: null }, want: undefined },
    { what: 'the removal of something in nothing', current: {}, patch: { a: { b: { c: null } } }, want: undefined },
    { what: 'an empty object where there is nothing', current: {}, patch: { a: {} }, want: { a: {} } },
    { what: 'a list in another order', current: { a: [1, 2] }, patch: { a: [2, 1] }, want: { a: [2, 1] } },
    { what: 'an object in place of a text', current: { a: 'x' }, patch: { a: { b: 1 } }, want: { a: { b: 1 } } },
    { what: 'an undefined member', current: { a: 1 }, patch: { a: undefined }, want: undefined },
    { what: 'no object at all', current: undefined, patch: { a: 1 }, want: { a: 1 } },
    { what: 'a name that every object has', current: {}, patch: { constructor: 'x' }, want: { constructor: 'x' } },
  ])('B53: sends what is needed for $what', ({ current, patch, want }) => {
    expect(mergePatchIfChanged(current, patch)).toEqual(want);
  });

  it('leads to the same object as the whole patch, and then to silence', () => {
    const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Json>(null, 0, '', 'a', 1),
        fc.array(fc.integer(), { maxLength: 2 }),
        tie('object'),
      ),
      object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
    })).object;
    fc.assert(
      fc.property(json, json, (current, patch) => {
        const narrow = mergePatchIfChanged(withoutNulls(current), patch);
        const wanted = merge(withoutNulls(current), patch);
        const reached = narrow === undefined ? withoutNulls(current) : merge(withoutNulls(current), narrow);
        expect(withoutHollows(reached)).toEqual(withoutHollows(wanted));
        expect(mergePatchIfChanged(reached, patch)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});

/** RFC 7386 as its text has it. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isRawObject(patch)) return patch;
  const result: Record<string, unknown> = isRawObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

/** What a server holds: no nulls. */
function withoutNulls(value: unknown): unknown {
  if (!isRawObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, v]) => v !== null)
      .map(([k, v]) => [k, withoutNulls(v)]),
  );
}

/** Objects that hold nothing, which removals in nothing would leave behind. */
function withoutHollows(value: unknown): unknown {
  if (!isRawObject(value)) return value;
  const kept = Object.entries(value).map(([k, v]) => [k, withoutHollows(v)] as const);
  return Object.fromEntries(kept.filter(([, v]) => !(isRawObject(v) && Object.keys(v).length === 0)));
}

describe('finalizer patches', () => {
  const none = { labels: {}, annotations: {}, ownerReferences: [] };
  const object = (...finalizers: readonly string[]) => ({
    metadata: { name: 'o', uid: 'u', resourceVersion: '1', finalizers, ...none },
  });

  it('writes nothing when the list is as wanted already', () => {
    expect(addFinalizerPatch(object('ours'), 'ours')).toBeUndefined();
    expect(removeFinalizerPatch(object('theirs'), 'ours')).toBeUndefined();
  });

  it('removes ours by its place, after testing that it is still there on the same object', () => {
    expect(removeFinalizerPatch(object('theirs', 'ours'), 'ours')).toEqual({
      type: 'json',
      body: [
        { op: 'test', path: '/metadata/uid', value: 'u' },
        { op: 'test', path: '/metadata/finalizers/1', value: 'ours' },
        { op: 'remove', path: '/metadata/finalizers/1' },
      ],
    });
  });
});
