import { describe, expect, it } from '@jest/globals';
import { assert, constantFrom, dictionary, property, uniqueArray, record } from 'fast-check';
import { eip, node, pod, storeOf, WALL, withMetadata } from '../../testing/objects.ts';
import { chooseTarget } from './eip-world.ts';
import { indexPods } from './index-pods.ts';

const labels = dictionary(constantFrom('app', 'team', 'tier'), constantFrom('a', 'b'));
const namespace = constantFrom('default', 'other');
const pods = uniqueArray(record({ name: constantFrom('p1', 'p2', 'p3', 'p4', 'p5'), namespace, labels }), {
  selector: (one) => `${one.namespace}/${one.name}`,
});
const selector = dictionary(constantFrom('app', 'team', 'tier'), constantFrom('a', 'b'), { minKeys: 1 });

describe('pods narrowed to the rarest label', () => {
  it('lead to the same choice as all pods', () => {
    assert(
      property(pods, namespace, selector, (those, where, wanted) => {
        const web = withMetadata(eip('web', { kind: 'podLabels', labels: wanted }), { namespace: where });
        const managed = { 'eip.materialize.cloud/manage': 'true' };
        const store = storeOf(
          ...those.map(({ labels: own, ...meta }) => pod(meta.name, {}, { ...meta, labels: { ...managed, ...own } })),
        );
        const stores = { eips: storeOf(web), nodes: storeOf(node('n1')) };
        const rules = { now: WALL, unreadyGraceMs: 0 };
        const all = chooseTarget(web, { ...stores, pods: store }, rules);
        expect(chooseTarget(web, { ...stores, pods: indexPods(store)(web) }, rules)).toEqual(all);
      }),
    );
  });

  it('are all pods for an Eip that names its pod', () => {
    const store = storeOf(pod('web-0'));
    expect(indexPods(store)(eip('web', { kind: 'pod', podName: 'web-0' })).get('default/web-0')).toBeDefined();
  });
});
