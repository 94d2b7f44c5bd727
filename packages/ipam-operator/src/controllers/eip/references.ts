import type { Eip } from '../../api/eip.ts';

/** Which Eips look at which pods and nodes: so that a change of one object concerns few claims. */
export interface References {
  /** Takes in an Eip's newest form; undefined when it is gone. */
  put(key: string, eip: Eip | undefined): void;
  /** Keys of the Eips that name this pod, in their selector or their status. */
  toPod(podKey: string): readonly string[];
  /** Keys of the Eips that select pods of the namespace by labels. */
  byLabels(namespace: string): readonly string[];
  /** Keys of the Eips that select nodes. */
  toNodes(): readonly string[];
}

/** Makes an empty index. */
export function createReferences(): References {
  const topics = new Map<string, Set<string>>();
  const topicsOf = new Map<string, readonly string[]>();
  const about = (topic: string): readonly string[] => [...(topics.get(topic) ?? [])];
  return {
    put(key, eip) {
      for (const topic of topicsOf.get(key) ?? []) topics.get(topic)?.delete(key);
      const now = eip === undefined ? [] : topicsFor(eip);
      topicsOf.set(key, now);
      if (eip === undefined) topicsOf.delete(key);
      for (const topic of now) topics.set(topic, (topics.get(topic) ?? new Set()).add(key));
    },
    toPod: (podKey) => about(`pod/${podKey}`),
    byLabels: (namespace) => about(`labels/${namespace}`),
    toNodes: () => about('nodes'),
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
