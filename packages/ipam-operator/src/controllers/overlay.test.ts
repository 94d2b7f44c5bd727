import { describe, expect, it } from '@jest/globals';
import type { Eip } from '../api/eip.ts';
import { eip, storeOf, withMetadata } from '../testing/objects.ts';
import { createOverlay } from './overlay.ts';

const versioned = (resourceVersion: string): Eip =>
  withMetadata(eip('web', { kind: 'pod', podName: 'web' }), { resourceVersion });

/** A store whose one object can be replaced. */
function changingStore(first: Eip | undefined) {
  let current = first;
  const now = () => (current === undefined ? storeOf<Eip>() : storeOf(current));
  const store = {
    get: (key: string) => now().get(key),
    list: () => now().list(),
    keys: () => now().keys(),
    get size() {
      return now().size;
    },
  };
  return { store, show: (object: Eip | undefined) => void (current = object) };
}

const KEY = 'default/web';

describe('what was written a moment ago', () => {
  it('counts until the watch shows another version', () => {
    const { store, show } = changingStore(versioned('1'));
    const overlay = createOverlay(store);
    overlay.wrote(versioned('2'));
    expect(overlay.get(KEY)?.metadata.resourceVersion).toBe('2');
    expect(overlay.list().map(({ metadata }) => metadata.resourceVersion)).toEqual(['2']);
    show(versioned('3'));
    expect(overlay.get(KEY)?.metadata.resourceVersion).toBe('3');
    show(versioned('1'));
    expect(overlay.get(KEY)?.metadata.resourceVersion).toBe('1');
  });

  it('is nothing new when the watch was faster', () => {
    const { store, show } = changingStore(versioned('2'));
    const overlay = createOverlay(store);
    overlay.wrote(versioned('2'));
    show(versioned('3'));
    expect(overlay.get(KEY)?.metadata.resourceVersion).toBe('3');
  });

  it('does not hide what came after it when the watch showed both before the answer', () => {
    const { store } = changingStore(versioned('10'));
    const overlay = createOverlay(store);
    overlay.wrote(versioned('9'));
    expect(overlay.get(KEY)?.metadata.resourceVersion).toBe('10');
  });

  it('is gone with the object', () => {
    const { store, show } = changingStore(versioned('1'));
    const overlay = createOverlay(store);
    overlay.wrote(versioned('2'));
    show(undefined);
    expect([overlay.get(KEY), overlay.list(), overlay.size]).toEqual([undefined, [], 0]);
  });
});
