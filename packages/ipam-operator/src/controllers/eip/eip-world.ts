import type { ReadonlyStore } from '@static-ip/kube';
import type { Eip } from '../../api/eip.ts';
import type { EipSelector } from '../../api/eip-selector.ts';
import type { Node } from '../../api/node.ts';
import type { Pod } from '../../api/pod.ts';
import { nobody } from './choice.ts';
import type { Choice } from './choice.ts';
import { chooseNode } from './choose-node.ts';
import { choosePod } from './choose-pod.ts';

/** The objects that the Eip flow looks at. */
export interface EipStores {
  readonly eips: ReadonlyStore<Eip>;
  readonly pods: ReadonlyStore<Pod>;
  readonly nodes: ReadonlyStore<Node>;
}

/** What the choice of a target needs beside the objects. */
export interface ChoiceRules {
  /** Wall time, ms. */
  readonly now: number;
  readonly unreadyGraceMs: number;
}

/** Chooses whom an Eip's address goes to. */
export function chooseTarget(eip: Eip, stores: EipStores, { now, unreadyGraceMs }: ChoiceRules): Choice {
  const { selector, metadata, status } = eip;
  switch (selector.kind) {
    case 'invalid':
      return nobody('RequestInvalid', selector.problem);
    case 'pod':
    case 'podLabels':
      return choosePod(selector, {
        pods: podsFor(selector, stores.pods, metadata.namespace ?? ''),
        nodeOf: (name) => stores.nodes.get(name),
        holder: status.resourceId,
      });
    case 'node':
      return chooseNode(selector.labels, {
        nodes: stores.nodes.list(),
        holder: status.resourceId,
        occupied: nodesOfOthers(eip, stores.eips),
        now,
        unreadyGraceMs,
      });
  }
}

function podsFor(selector: EipSelector, pods: EipStores['pods'], namespace: string): readonly Pod[] {
  if (selector.kind !== 'pod') return pods.list().filter(({ metadata }) => metadata.namespace === namespace);
  const pod = pods.get(`${namespace}/${selector.podName}`);
  return pod === undefined ? [] : [pod];
}

function nodesOfOthers(eip: Eip, eips: EipStores['eips']): ReadonlySet<string> {
  const others = eips
    .list()
    .filter(({ metadata, selector }) => selector.kind === 'node' && metadata.uid !== eip.metadata.uid);
  return new Set(others.flatMap(({ status }) => status.resourceId ?? []));
}
