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
  const { selector, status } = eip;
  const common = { holder: status.resourceId, now, unreadyGraceMs };
  switch (selector.kind) {
    case 'invalid':
      return nobody('RequestInvalid', selector.problem);
    case 'pod':
    case 'podLabels':
      return choosePod(selector, {
        ...common,
        pods: podsFor(selector, stores.pods, eip.metadata.namespace),
        nodeOf: (name) => stores.nodes.get(name),
        occupied: selector.kind === 'pod' ? NONE : podsOfOthers(eip, stores.eips),
      });
    case 'node':
      return chooseNode(selector.labels, {
        ...common,
        nodes: stores.nodes.list(),
        occupied: nodesOfOthers(eip, stores.eips),
      });
  }
}

const NONE: ReadonlySet<string> = new Set();

function podsFor(selector: EipSelector, pods: EipStores['pods'], namespace: string | undefined): readonly Pod[] {
  if (selector.kind !== 'pod') return pods.list().filter(({ metadata }) => metadata.namespace === namespace);
  const pod = pods.get(`${namespace ?? ''}/${selector.podName}`);
  return pod === undefined ? [] : [pod];
}

/** Pods that another Eip names: by its selector, or because they have its address. */
function podsOfOthers({ metadata: { uid, namespace } }: Eip, eips: EipStores['eips']): ReadonlySet<string> {
  const others = eips.list().filter(({ metadata }) => metadata.namespace === namespace && metadata.uid !== uid);
  return new Set(
    others.flatMap(({ selector, status }) => {
      if (selector.kind === 'pod') return selector.podName;
      return selector.kind === 'podLabels' ? (status.resourceId ?? []) : [];
    }),
  );
}

function nodesOfOthers({ metadata: { uid } }: Eip, eips: EipStores['eips']): ReadonlySet<string> {
  const others = eips.list().filter(({ metadata, selector }) => selector.kind === 'node' && metadata.uid !== uid);
  return new Set(others.flatMap(({ status }) => status.resourceId ?? []));
}
