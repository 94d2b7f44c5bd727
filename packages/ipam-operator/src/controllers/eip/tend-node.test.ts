import { describe, expect, it } from '@jest/globals';
import type { Eip } from '../../api/eip.ts';
import { FINALIZER, LABEL } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import { ago, eip, node, storeOf, withMetadata } from '../../testing/objects.ts';
import { tendNode } from './tend-node.ts';

const SELECTOR = { kind: 'node', labels: { gateway: 'a' } } as const;
const HELD = eip('out', SELECTOR, { resourceId: 'n1', associationId: 'eipassoc-1' });
const RAISED = { [LABEL.manage]: 'true', gateway: 'a', [LABEL.egressGatewayReady]: 'true' };

/** Tends the node n1; resolves to the writes, in order. */
async function writes(nodes: readonly Node[], eips: readonly Eip[] = [HELD]): Promise<readonly unknown[]> {
  const done: unknown[] = [];
  const writer: Parameters<typeof tendNode>[1]['writer'] = {
    label: async (_resource, { name }, { name: label, value }) => void done.push({ name, label, value }),
    removeFinalizer: async ({ object, finalizer }) => void done.push({ name: object.metadata.name, finalizer }),
  };
  const stores = { nodes: storeOf(...nodes), eips: storeOf(...eips) };
  await tendNode('n1', { ...stores, writer }, new AbortController().signal);
  return done;
}

describe('a node that is tended', () => {
  it('B63: is labelled as the gateway that it is, once', async () => {
    expect(await writes([node('n1')])).toEqual([{ name: 'n1', label: LABEL.egressGatewayReady, value: 'true' }]);
    expect(await writes([node('n1', {}, { labels: RAISED })])).toEqual([]);
  });

  it('is left alone when no Eip looks at it, or it is gone', async () => {
    expect(await writes([node('n1')], [])).toEqual([]);
    expect(await writes([node('n2')])).toEqual([]);
  });

  it('loses the predecessor’s finalizer when it is being deleted, and gets no label any more', async () => {
    const going = withMetadata(node('n1'), { deletionTimestamp: ago(0), finalizers: [FINALIZER.node] });
    expect(await writes([going])).toEqual([{ name: 'n1', finalizer: FINALIZER.node }]);
  });
});
