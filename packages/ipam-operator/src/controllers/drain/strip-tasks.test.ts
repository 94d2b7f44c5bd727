import { describe, expect, it } from '@jest/globals';
import { FINALIZER, LEGACY_POD_FINALIZERS } from '../../api/names.ts';
import { eip, node, pod, storeOf, withMetadata } from '../../testing/objects.ts';
import { stripTasks } from './strip-tasks.ts';
import type { DrainWorld } from './strip-tasks.ts';

const FOREIGN = 'example.com/theirs';

const selector = (podName: string) => ({ kind: 'pod', podName }) as const;

const WORLD: DrainWorld = {
  eips: storeOf(
    withMetadata(eip('web', selector('web-0'), { resourceId: 'web-0' }), { finalizers: [FOREIGN, FINALIZER.eip] }),
    withMetadata(eip('api', selector('api-0'), { resourceId: 'api-0' }), { finalizers: [FINALIZER.eip] }),
    eip('plain', selector('x')),
  ),
  pods: storeOf(
    pod('web-0', {}, { finalizers: [FINALIZER.pod, ...LEGACY_POD_FINALIZERS] }),
    pod('api-0', {}, { finalizers: [FINALIZER.pod] }),
    pod('old', {}, { finalizers: [...LEGACY_POD_FINALIZERS] }),
    pod('theirs', {}, { finalizers: [FOREIGN] }),
  ),
  nodes: storeOf(node('n1', {}, { finalizers: [FINALIZER.node] }), node('n2', {}, { finalizers: [FOREIGN] })),
};

const namesOf = (spared: readonly string[]) =>
  stripTasks(WORLD, new Set(spared)).map(({ kind, name }) => `${kind} ${name}`);

describe('what a drain takes off', () => {
  it('is one finalizer of ours from each object that has any, and never somebody else’s', () => {
    const pods = ['Pod default/web-0', 'Pod default/api-0', 'Pod default/old'];
    expect(namesOf([])).toEqual(['Eip default/web', 'Eip default/api', ...pods, 'Node n1']);
  });

  it('spares an Eip whose claim has not ended, and the pod that has its address', () => {
    expect(namesOf(['default/api'])).toEqual(['Eip default/web', 'Pod default/web-0', 'Pod default/old', 'Node n1']);
  });
});
