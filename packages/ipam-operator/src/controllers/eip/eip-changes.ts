import { isDeepStrictEqual } from 'node:util';
import { objectKey } from '@static-ip/kube';
import type { Informer, WorkQueue } from '@static-ip/kube';
import type { Eip } from '../../api/eip.ts';
import { LABEL } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import type { Pod } from '../../api/pod.ts';
import type { SharedInformer } from '../flow.ts';
import { selectsNode } from './choose-node.ts';
import type { References } from './references.ts';

export interface EipChangesOptions {
  readonly eips: Pick<Informer<Eip>, 'subscribe'>;
  readonly pods: Pick<Informer<Pod>, 'subscribe' | 'store'>;
  readonly nodes: Pick<SharedInformer<Node>, 'subscribe' | 'store'>;
  readonly references: References;
  /** Pods and nodes to be tended. */
  readonly queues: { readonly pods: Pick<WorkQueue<string>, 'add'>; readonly nodes: Pick<WorkQueue<string>, 'add'> };
  /** The claims of these Eips may not be what they were. */
  readonly onChange: (eipKeys: readonly string[]) => void;
  readonly onGone: (eipKey: string) => void;
}

/** Maps every change from now on, and all that is there, to the claims, pods and nodes that it may concern. */
export function subscribeToChanges(options: EipChangesOptions): void {
  const { eips, pods, nodes, references, queues, onChange, onGone } = options;

  nodes.subscribe((name, previous, current) => {
    if (isSame(previous, current)) return;
    queues.nodes.add(name);
    onChange(references.toNodes());
    // Others are lowered when this one is seen to be raised.
    if (labelOf(previous) !== labelOf(current)) for (const other of nodes.store.keys()) queues.nodes.add(other);
    // Where its pods are is known by its provider id.
    if (previous?.providerId === current?.providerId) return;
    for (const pod of pods.store.list()) if (pod.nodeName === name) touchLookers(pod);
  });
  pods.subscribe((key, previous, current) => {
    queues.pods.add(key);
    for (const pod of [previous, current]) if (pod !== undefined) touchLookers(pod);
  });
  eips.subscribe((key, previous, current) => {
    references.put(key, current);
    onChange([key]);
    if (current === undefined) onGone(key);
    for (const pod of podsOf(key, previous, current)) queues.pods.add(pod);
    if (holderOf(previous) === holderOf(current)) return;
    // A target has room for one: where one Eip goes matters to the others.
    if ((current ?? previous)?.selector.kind !== 'node') return touchNeighbours(previous, current);
    onChange(references.toNodes());
    for (const node of selectedBy([previous, current])) queues.nodes.add(node);
  });

  function touchLookers({ metadata }: Pod): void {
    onChange(references.toPod(objectKey(metadata)));
    onChange(references.byLabels(metadata.namespace ?? '', metadata.labels));
  }

  /** Touches the Eips that look at the pods that the Eip came to or left. */
  function touchNeighbours(...forms: readonly (Eip | undefined)[]): void {
    for (const { metadata, status } of forms.filter((eip) => eip !== undefined)) {
      const pod = pods.store.get(`${metadata.namespace ?? ''}/${status.resourceId ?? ''}`);
      if (pod !== undefined) touchLookers(pod);
    }
  }

  function selectedBy(forms: readonly (Eip | undefined)[]): readonly string[] {
    const selected = (node: Node): boolean =>
      forms.some((eip) => eip?.selector.kind === 'node' && selectsNode(eip.selector.labels, node));
    const isConcerned = (node: Node): boolean => labelOf(node) === 'true' || selected(node);
    return nodes.store.list().flatMap((node) => (isConcerned(node) ? [node.metadata.name] : []));
  }
}

/** Kubelets write their nodes all the time: only what is read here counts. */
function isSame(previous: Node | undefined, current: Node | undefined): boolean {
  if (previous === undefined || current === undefined) return false;
  const { resourceVersion } = current.metadata;
  return isDeepStrictEqual({ ...previous, metadata: { ...previous.metadata, resourceVersion } }, current);
}

function labelOf(node: Node | undefined): string | undefined {
  return node?.metadata.labels[LABEL.egressGatewayReady];
}

/** Equal while an Eip selects the same and is confirmed on the same. */
function holderOf(eip: Eip | undefined): string | undefined {
  if (eip === undefined) return undefined;
  const { selector, status } = eip;
  return JSON.stringify([selector, status.resourceId ?? null, status.associationId === undefined]);
}

function podsOf(key: string, previous: Eip | undefined, current: Eip | undefined): readonly string[] {
  const namespace = (current ?? previous)?.metadata.namespace ?? '';
  const names = [previous, current].flatMap((eip) =>
    eip?.selector.kind === 'node' ? [] : (eip?.status.resourceId ?? []),
  );
  return [key, ...names.map((name) => `${namespace}/${name}`)];
}
