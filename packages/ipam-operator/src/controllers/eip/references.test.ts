import { describe, expect, it } from '@jest/globals';
import { eip } from '../../testing/objects.ts';
import { createReferences } from './references.ts';

describe('the index of who looks at whom', () => {
  it('finds Eips by the pod that they name, in selector or status', () => {
    const references = createReferences();
    references.put('default/a', eip('a', { kind: 'pod', podName: 'web' }));
    references.put('default/b', eip('b', { kind: 'podLabels', labels: { app: 'x' } }, { resourceId: 'web' }));
    expect(references.toPod('default/web')).toEqual(['default/a', 'default/b']);
    expect(references.toPod('other/web')).toEqual([]);
  });

  it('finds Eips by labels, in their namespace only', () => {
    const references = createReferences();
    references.put('default/a', eip('a', { kind: 'podLabels', labels: { app: 'x' } }));
    expect(references.byLabels('default', { app: 'x', other: 'y' })).toEqual(['default/a']);
    expect(references.byLabels('default', { app: 'y' })).toEqual([]);
    expect(references.byLabels('other', { app: 'x' })).toEqual([]);
  });

  it('finds Eips that select nodes, but not what their holder is called', () => {
    const references = createReferences();
    references.put('default/a', eip('a', { kind: 'node', labels: { g: 'a' } }, { resourceId: 'n1' }));
    expect(references.toNodes()).toEqual(['default/a']);
    expect(references.toPod('default/n1')).toEqual([]);
  });

  it('forgets what an Eip was', () => {
    const references = createReferences();
    references.put('default/a', eip('a', { kind: 'pod', podName: 'web' }, { resourceId: 'web' }));
    references.put('default/a', eip('a', { kind: 'node', labels: { g: 'a' } }));
    expect(references.toPod('default/web')).toEqual([]);
    references.put('default/a', undefined);
    expect(references.toNodes()).toEqual([]);
  });
});
