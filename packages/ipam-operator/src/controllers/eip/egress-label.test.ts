import { describe, expect, it } from '@jest/globals';
import type { Eip } from '../../api/eip.ts';
import { LABEL } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import { eip, node } from '../../testing/objects.ts';
import { egressStatus } from './egress-label.ts';

const SELECTOR = { kind: 'node', labels: { gateway: 'a' } } as const;
const heldBy = (name: string, holder: string | undefined): Eip =>
  eip(name, SELECTOR, holder === undefined ? {} : { resourceId: holder, associationId: 'eipassoc-1' });

function gateway(name: string, label?: string, gatewayOf = 'a'): Node {
  const value = label === undefined ? {} : { [LABEL.egressGatewayReady]: label };
  return node(name, {}, { labels: { [LABEL.manage]: 'true', gateway: gatewayOf, ...value } });
}

function statusOf(name: string, nodes: readonly Node[], eips: readonly Eip[]): string | undefined {
  const nodeOf = (other: string) => nodes.find(({ metadata }) => metadata.name === other);
  const one = nodeOf(name);
  if (one === undefined) throw new Error(`no node ${name}`);
  return egressStatus(one, { eips, nodeOf });
}

describe('the label of egress gateways', () => {
  it('B63: is raised on the node with the confirmed address, whatever it was', () => {
    for (const label of [undefined, 'false', 'true']) {
      expect(statusOf('a', [gateway('a', label)], [heldBy('one', 'a')])).toBe('true');
    }
  });

  it('B63: is lowered on the others only when the holder is seen to be raised', () => {
    expect(statusOf('b', [gateway('a'), gateway('b', 'true')], [heldBy('one', 'a')])).toBeUndefined();
    expect(statusOf('b', [gateway('a', 'true'), gateway('b', 'true')], [heldBy('one', 'a')])).toBe('false');
  });

  it('B63: is left as it is while nobody has the address', () => {
    const unconfirmed = eip('one', SELECTOR, { resourceId: 'a' });
    for (const one of [heldBy('one', undefined), unconfirmed]) {
      expect(statusOf('a', [gateway('a', 'true')], [one])).toBeUndefined();
    }
  });

  it('B63: is raised on the nodes of two Eips with one selector', () => {
    const nodes = [gateway('a', 'true'), gateway('b', 'false'), gateway('c')];
    const eips = [heldBy('one', 'a'), heldBy('two', 'b')];
    expect(['a', 'b', 'c'].map((name) => statusOf(name, nodes, eips))).toEqual(['true', 'true', 'false']);
  });

  it('is lowered where it was raised and no Eip looks any more, and set nowhere else', () => {
    expect(statusOf('a', [gateway('a', 'true', 'x')], [heldBy('one', undefined)])).toBe('false');
    expect(statusOf('a', [gateway('a', 'false', 'x'), gateway('b', undefined, 'x')], [])).toBeUndefined();
    expect(statusOf('b', [gateway('b', undefined, 'x')], [])).toBeUndefined();
  });

  it('does not follow Eips of pods that have a node’s name', () => {
    const one = eip('one', { kind: 'pod', podName: 'a' }, { resourceId: 'a', associationId: 'eipassoc-1' });
    expect(statusOf('a', [gateway('a')], [one])).toBeUndefined();
  });
});
