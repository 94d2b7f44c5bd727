import { describe, expect, it } from '@jest/globals';
import { objectKey, parseObjectKey } from './object.ts';
import { parseMetadata } from './parse-metadata.ts';

const valid = { name: 'n', uid: 'u', resourceVersion: '7' };

describe('parse metadata', () => {
  it('fills in empty collections and leaves absent members out', () => {
    expect(parseMetadata({ metadata: { ...valid, labels: null, namespace: null } })).toEqual({
      ...valid,
      labels: {},
      annotations: {},
      finalizers: [],
      ownerReferences: [],
    });
  });

  it('keeps what it knows, empty texts included', () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', controller: true };
    const metadata = {
      ...valid,
      namespace: 'ns',
      generation: 0,
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: '2026-01-02T00:00:00Z',
      labels: { a: '' },
      annotations: { b: 'c' },
      finalizers: ['f'],
      ownerReferences: [owner],
    };
    expect(parseMetadata({ metadata })).toEqual(metadata);
  });

  it.each([
    ['metadata', { metadata: [] }],
    ['metadata', 'text'],
    ['metadata.name', { metadata: { ...valid, name: undefined } }],
    ['metadata.uid', { metadata: { ...valid, uid: '' } }],
    ['metadata.generation', { metadata: { ...valid, generation: 1.5 } }],
    ['metadata.labels.a', { metadata: { ...valid, labels: { a: 1 } } }],
    ['metadata.labels', { metadata: { ...valid, labels: [] } }],
    ['metadata.finalizers[1]', { metadata: { ...valid, finalizers: ['f', null] } }],
    [
      'metadata.ownerReferences[0].uid',
      { metadata: { ...valid, ownerReferences: [{ apiVersion: '', kind: '', name: '' }] } },
    ],
  ])('names the field that has the wrong shape: %s', (field, raw) => {
    expect(() => parseMetadata(raw)).toThrow(expect.objectContaining({ code: 'protocol', fields: { field } }));
  });
});

describe('object keys', () => {
  it.each([{ name: 'n' }, { namespace: 'ns', name: 'n' }])('are reversible: %o', (ref) => {
    expect(parseObjectKey(objectKey(ref))).toEqual(ref);
  });
});
