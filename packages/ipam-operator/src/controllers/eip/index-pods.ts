import type { ReadonlyStore } from '@static-ip/kube';
import type { Eip } from '../../api/eip.ts';
import type { Pod } from '../../api/pod.ts';

/**
 * Makes ready to choose for many Eips at once: answers the pods with the store narrowed, for an Eip that selects by
 * labels, to those that have the rarest of them. Else each of thousands of Eips would look at each of thousands of pods.
 */
export function indexPods(pods: ReadonlyStore<Pod>): (eip: Eip) => ReadonlyStore<Pod> {
  const byLabel = new Map<string, Pod[]>();
  for (const pod of pods.list()) {
    for (const label of Object.entries(pod.metadata.labels)) {
      const key = keyOf(pod.metadata.namespace, label);
      const those = byLabel.get(key);
      if (those === undefined) byLabel.set(key, [pod]);
      else those.push(pod);
    }
  }
  return ({ selector, metadata }) => {
    if (selector.kind !== 'podLabels') return pods;
    const lists = Object.entries(selector.labels).map((label) => byLabel.get(keyOf(metadata.namespace, label)) ?? []);
    const [fewest = []] = lists.toSorted((a, b) => a.length - b.length);
    return { ...pods, list: () => fewest };
  };
}

function keyOf(namespace: string | undefined, [name, value]: readonly [string, string]): string {
  return `${namespace ?? ''}/${name}=${value}`;
}
