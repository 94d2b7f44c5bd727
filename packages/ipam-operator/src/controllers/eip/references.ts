import type { Eip } from '../../api/eip.ts';
import { hasLabels } from './choice.ts';

/** Which Eips look at which pods and nodes: so that a change of one object concerns few claims. */
export interface References {
  /** Takes in an Eip's newest form; undefined when it is gone. */
  put(key: string, eip: Eip | undefined): void;
  /** Keys of the Eips that name this pod, in their selector or their status. */
  toPod(podKey: string): readonly string[];
  /** Keys of the Eips of the namespace that select pods with these labels. */
  byLabels(namespace: string, labels: Readonly<Record<string, string>>): readonly string[];
  /** Keys of the Eips that select nodes. */
  toNodes(): readonly string[];
}

/** Makes an empty index. */
export function createReferences(): References {
  const topics = new Map<string, Map<string, Eip>>();
  const topicsOf = new Map<string, readonly string[]>();
  const about = (topic: string): readonly (readonly [string, Eip])[] => [...(topics.get(topic) ?? [])];
  const forget = (key: string): void => {
    for (const topic of topicsOf.get(key) ?? []) {
      const eips = topics.get(topic);
      eips?.delete(key);
      if (eips?.size === 0) topics.delete(topic);
    }
    topicsOf.delete(key);
  };
  return {
    put(key, eip) {
      forget(key);
      if (eip === undefined) return;
      const now = topicsFor(eip);
      topicsOf.set(key, now);
      for (const topic of now) topics.set(topic, (topics.get(topic) ?? new Map<string, Eip>()).set(key, eip));
    },
    toPod: (podKey) => about(`pod/${podKey}`).map(([key]) => key),
    byLabels: (namespace, labels) =>
      about(`labels/${namespace}`).flatMap(([key, { selector }]) =>
        selector.kind === 'podLabels' && hasLabels(labels, selector.labels) ? [key] : [],
      ),
    toNodes: () => about('nodes').map(([key]) => key),
  };
}

function topicsFor({ metadata, selector, status }: Eip): readonly string[] {
  const namespace = metadata.namespace ?? '';
  const holder = status.resourceId === undefined ? [] : [`pod/${namespace}/${status.resourceId}`];
  switch (selector.kind) {
    case 'node':
      return ['nodes'];
    case 'pod':
      return [`pod/${namespace}/${selector.podName}`, ...holder];
    case 'podLabels':
      return [`labels/${namespace}`, ...holder];
    case 'invalid':
      return holder;
  }
}
