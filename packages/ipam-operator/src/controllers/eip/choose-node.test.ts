import { describe, expect, it } from '@jest/globals';
import { LABEL, TAINT } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import { ago, node, WALL } from '../../testing/objects.ts';
import { chooseNode } from './choose-node.ts';
import type { NodeWorld } from './choose-node.ts';

const LABELS = { gateway: 'a' };

function choose(nodes: readonly Node[], over: Partial<NodeWorld> = {}) {
  return chooseNode(LABELS, { nodes, occupied: new Set(), now: WALL, unreadyGraceMs: 60_000, ...over });
}

/** The name of the chosen one, or why there is none. */
function chosen(nodes: readonly Node[], over: Partial<NodeWorld> = {}): string {
  const choice = choose(nodes, over);
  return 'nobody' in choice ? `${choice.nobody.reason}: ${choice.nobody.message}` : choice.resourceId;
}

const unready = (sinceMs: number) => ({ ready: { status: 'Unknown', lastTransitionTime: ago(sinceMs) } }) as const;

describe('the choice of a node', () => {
  it('takes the oldest, then the first by name', () => {
    const old = node('z', {}, { creationTimestamp: ago(900_000) });
    expect(chosen([node('b'), node('a')])).toBe('a');
    expect(chosen([node('b'), node('a'), old])).toBe('z');
  });

  it.each([
    ['unready', node('a', unready(0))],
    ['without a condition Ready', node('a', { ready: undefined })],
    ['cordoned', node('a', { unschedulable: true })],
    ['going', node('a', {}, { deletionTimestamp: ago(0) })],
    ['shut down', node('a', { taints: [{ key: TAINT.shutdown, effect: 'NoSchedule' }] })],
    ['unmanaged', node('a', {}, { labels: LABELS })],
    ['said not to be managed', node('a', {}, { labels: { ...LABELS, [LABEL.manage]: 'false' } })],
    ['without the labels', node('a', {}, { labels: { [LABEL.manage]: 'true' } })],
  ])('B15: leaves out a node that is %s', (_what, one) => {
    expect(chosen([one, node('b')])).toBe('b');
  });

  it('leaves out nodes that have the address of another Eip', () => {
    expect(chosen([node('a'), node('b')], { occupied: new Set(['a']) })).toBe('b');
  });

  it('B34: keeps an unready holder for the grace time, and says when to choose again', () => {
    const world = [node('a', unready(59_000)), node('b')];
    expect(choose(world, { holder: 'a' })).toMatchObject({ resourceId: 'a', reviewAt: WALL + 1_000 });
    expect(chosen([node('a', unready(60_000)), node('b')], { holder: 'a' })).toBe('b');
  });

  it('B34: keeps an unready holder while nobody can take over', () => {
    expect(chosen([node('a', unready(900_000)), node('b', unready(0))], { holder: 'a' })).toBe('a');
    expect(choose([node('a', unready(900_000))], { holder: 'a' })).not.toMatchObject({ reviewAt: expect.anything() });
  });

  it('keeps the holder that is ready again, and the one that is cordoned: there is no fail-back', () => {
    expect(chosen([node('a'), node('b')], { holder: 'b' })).toBe('b');
    expect(chosen([node('a'), node('b', { unschedulable: true })], { holder: 'b' })).toBe('b');
  });

  it('takes nobody rather than a node that is being deleted', () => {
    const gone = node('a', {}, { deletionTimestamp: ago(0) });
    expect(chosen([gone], { holder: 'a' })).toMatch(/^TargetMissing: Of 1 nodes/);
  });

  it.each([
    [undefined, /^InstanceUnknown: .*Node a is not set yet/],
    ['aws:///us-east-1a/vm-1', /^ProviderIdInvalid/],
  ])('says why the node with provider id %s cannot be found', (providerId, message) => {
    expect(chosen([node('a', { providerId })])).toMatch(message);
  });

  it('says that no node has the labels', () => {
    expect(chosen([])).toBe('TargetMissing: No managed node has the labels');
  });
});
