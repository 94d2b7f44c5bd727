import { about } from './check.ts';
import type { Check } from './check.ts';
import { explainNode } from './explain-node.ts';
import { explainPod } from './explain-pod.ts';
import type { DoctorFacts, DoctorPod } from './facts.ts';

/** The diagnosis of a node, or of a node and one of its pods; pure. */
export function explain(facts: DoctorFacts): readonly Check[] {
  const node = about('node', explainNode(facts));
  const { podName, cluster } = facts;
  if (podName === undefined || !cluster.ok) return node;
  const found = findPods(cluster.value.pods, podName);
  if (found.length > 0) return [...node, ...found.flatMap((pod) => about(`pod ${keyOf(pod)}`, explainPod(pod, facts)))];
  const fix = `look for its node with kubectl get pod --all-namespaces -o wide, and ask there`;
  const missing = { check: 'pod', verdict: 'problem', found: `no such pod on node ${facts.nodeName}`, fix } as const;
  return [...node, ...about(`pod ${podName}`, [missing])];
}

/** Pods of this name: several when no namespace was given. */
export function findPods(pods: readonly DoctorPod[], podName: string): readonly DoctorPod[] {
  return pods.filter((pod) => pod.metadata.name === podName || keyOf(pod) === podName);
}

function keyOf({ metadata: { namespace = '', name } }: DoctorPod): string {
  return `${namespace}/${name}`;
}
