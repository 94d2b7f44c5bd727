import { ALLOCATION_ANNOTATION } from '../no-masquerade/names.ts';
import type { UnknownReason } from '../no-masquerade/pod-path.ts';
import { fine, note, problem } from './check.ts';
import type { Line } from './check.ts';
import { describeRoute } from './describe-route.ts';
import type { DoctorFacts, DoctorPod } from './facts.ts';

/** What is to be said about a pod: what it holds, its way out, and the address that others see. */
export function explainPod(pod: DoctorPod, facts: DoctorFacts): readonly Line[] {
  const holds = pod.metadata.annotations[ALLOCATION_ANNOTATION];
  const held =
    holds === undefined
      ? note('address held', 'none')
      : fine('address held', `${pod.publicIp ?? 'address'} (${holds})`);
  if (pod.hostNetwork) return [held, note('public address', "the node's: the pod uses the network of the host")];
  if (pod.ipv4 === undefined) return [held, note('public address', 'none yet: the pod has no address of its own')];
  const route = facts.kernel.ok ? facts.kernel.value.podRoutes.get(pod.ipv4) : undefined;
  const way = route === undefined ? [] : [note('route', describeRoute(route))];
  return [held, ...way, ...explainSource(pod, facts, holds !== undefined)];
}

function explainSource(pod: DoctorPod, facts: DoctorFacts, holds: boolean): readonly Line[] {
  const { masquerade, kernel } = facts;
  const nodeIp = nodeAddress(facts);
  if (!holds) return [note('public address', masquerade === 'off' ? 'none: nobody masquerades it' : nodeIp)];
  if (masquerade === 'bpf') return [problem('public address', nodeIp, 'see masquerade of the node')];
  if (!kernel.ok) return [problem('public address', `not known: ${kernel.why}`, 'see masquerade of the node')];
  const path = kernel.value.plan.pods.find(({ ip }) => ip === pod.ipv4)?.path;
  if (path?.kind === 'unknown') return [problem('public address', nodeIp, UNKNOWN_WAY[path.reason])];
  // A change that is due may be about this pod or about what all pods need: until it is made, nothing is certain.
  const isPending = kernel.value.plan.steps.some(({ kind }) => kind === 'ipRules' || kind === 'nft');
  return isPending
    ? [problem('public address', nodeIp, 'the rules are not set: run the job no-masquerade on this node')]
    : [fine('public address', pod.publicIp ?? 'its own')];
}

function nodeAddress({ cluster }: DoctorFacts): string {
  return (cluster.ok ? cluster.value.ciliumNode?.assignedStaticIp : undefined) ?? "the node's";
}

const UNKNOWN_WAY: Readonly<Record<UnknownReason, string>> = {
  NoPodRule: 'Cilium has made no rule for this pod: wait, or look at the log of its agent',
  NoDefaultRoute: "the routing table of the pod's interface leads nowhere: look at the log of Cilium's agent",
};
