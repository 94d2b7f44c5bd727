import { describe, expect, it } from '@jest/globals';
import type { ChangeHandler, KubeObject } from '@static-ip/kube';
import type { Eip } from '../../api/eip.ts';
import { LABEL } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import type { Pod } from '../../api/pod.ts';
import { eip, node, pod, storeOf, withMetadata } from '../../testing/objects.ts';
import { subscribeToChanges } from './eip-changes.ts';
import { createReferences } from './references.ts';

const WEB = eip('web', { kind: 'pod', podName: 'web-0' });
const ANY = eip('any', { kind: 'podLabels', labels: { app: 'x' } });
const OUT = eip('out', { kind: 'node', labels: { gateway: 'a' } });
const POD = pod('web-0', {}, { labels: { [LABEL.manage]: 'true', app: 'x' } });
const NODE = node('n1');
const OTHER = node('n2', {}, { labels: { gateway: 'b' } });

/** An informer that gives its handler away. */
function informerOf<T extends KubeObject>(take: (handler: ChangeHandler<T>) => void) {
  return {
    subscribe: (handler: ChangeHandler<T>) => {
      take(handler);
      return () => undefined;
    },
  };
}

/** Changes that are told one by one, in a world with two nodes, a pod, and three Eips. */
function subscribe() {
  const handlers: { eips?: ChangeHandler<Eip>; pods?: ChangeHandler<Pod>; nodes?: ChangeHandler<Node> } = {};
  const told = {
    claims: new Set<string>(),
    pods: new Set<string>(),
    nodes: new Set<string>(),
    gone: new Set<string>(),
  };
  subscribeToChanges({
    eips: informerOf<Eip>((handler) => (handlers.eips = handler)),
    pods: { ...informerOf<Pod>((handler) => (handlers.pods = handler)), store: storeOf(POD) },
    nodes: { ...informerOf<Node>((handler) => (handlers.nodes = handler)), store: storeOf(NODE, OTHER) },
    references: createReferences(),
    queues: {
      pods: { add: (key) => void told.pods.add(key) },
      nodes: { add: (key) => void told.nodes.add(key) },
    },
    onChange: (keys) => keys.forEach((key) => told.claims.add(key)),
    onGone: (key) => void told.gone.add(key),
  });
  for (const one of [WEB, ANY, OUT]) handlers.eips?.(`default/${one.metadata.name}`, undefined, one);
  /** What a change concerns. */
  const after = (change: (on: typeof handlers) => void): Readonly<Record<string, readonly string[]>> => {
    for (const one of Object.values(told)) one.clear();
    change(handlers);
    const concerned = Object.entries(told).filter(([, keys]) => keys.size > 0);
    return Object.fromEntries(concerned.map(([what, keys]) => [what, [...keys].toSorted()]));
  };
  return { after };
}

describe('a change of a node', () => {
  it('concerns the node, the Eips that select nodes, and those of its pods when its instance is another', () => {
    const { after } = subscribe();
    const unready: Node = { ...NODE, ready: { status: 'False' } };
    expect(after((on) => on.nodes?.('n1', NODE, unready))).toEqual({ nodes: ['n1'], claims: ['default/out'] });
    const claims = ['default/any', 'default/out', 'default/web'];
    const moved: Node = { ...NODE, providerId: 'aws:///us-east-1a/i-0000000000000000b' };
    expect(after((on) => on.nodes?.('n1', NODE, moved))).toEqual({ nodes: ['n1'], claims });
  });

  it('concerns nobody when only its version is another: kubelets write all the time', () => {
    const { after } = subscribe();
    expect(after((on) => on.nodes?.('n1', NODE, withMetadata(NODE, { resourceVersion: '2' })))).toEqual({});
  });

  it('B63: concerns all nodes when its gateway label changes: others are lowered after it is raised', () => {
    const { after } = subscribe();
    const raised = withMetadata(NODE, { labels: { ...NODE.metadata.labels, [LABEL.egressGatewayReady]: 'true' } });
    expect(after((on) => on.nodes?.('n1', NODE, raised))['nodes']).toEqual(['n1', 'n2']);
  });
});

describe('a change of a pod', () => {
  it('concerns the pod, and the Eips that name it or select its labels, also those it had before', () => {
    const { after } = subscribe();
    const relabelled = withMetadata(POD, { labels: {} });
    const both = { pods: ['default/web-0'], claims: ['default/any', 'default/web'] };
    expect(after((on) => on.pods?.('default/web-0', POD, relabelled))).toEqual(both);
    expect(after((on) => on.pods?.('default/web-0', POD, undefined))).toEqual(both);
    const stranger = withMetadata(POD, { name: 'other', labels: {} });
    expect(after((on) => on.pods?.('default/other', undefined, stranger))).toEqual({ pods: ['default/other'] });
  });
});

describe('a change of an Eip', () => {
  it('concerns its claim, and the pods of its name and of its status', () => {
    const { after } = subscribe();
    const noted = withMetadata(WEB, { annotations: { note: 'x' } });
    expect(after((on) => on.eips?.('default/web', WEB, noted))).toEqual({
      claims: ['default/web'],
      pods: ['default/web'],
    });
  });

  it('concerns the Eips that look at the pod that it came to, or left', () => {
    const { after } = subscribe();
    const held = eip('any', ANY.selector, { resourceId: 'web-0', associationId: 'as-1' });
    const expected = { claims: ['default/any', 'default/web'], pods: ['default/any', 'default/web-0'] };
    expect(after((on) => on.eips?.('default/any', ANY, held))).toEqual(expected);
    expect(after((on) => on.eips?.('default/any', held, ANY))).toEqual(expected);
  });

  it('B63: concerns the nodes that it selects, and the others that select nodes, once it is confirmed on one', () => {
    const { after } = subscribe();
    const held = eip('out', OUT.selector, { resourceId: 'n1', associationId: 'as-1' });
    expect(after((on) => on.eips?.('default/out', OUT, held))).toMatchObject({
      claims: ['default/out'],
      nodes: ['n1'],
    });
  });

  it('is told as its end when it is gone, and nobody looks for it any more', () => {
    const { after } = subscribe();
    expect(after((on) => on.eips?.('default/web', WEB, undefined))).toMatchObject({ gone: ['default/web'] });
    expect(after((on) => on.pods?.('default/web-0', POD, POD))['claims']).toEqual(['default/any']);
  });
});
