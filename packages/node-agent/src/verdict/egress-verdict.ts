import type { AgentPod } from '../no-masquerade/agent-pod.ts';
import { ALLOCATION_ANNOTATION } from '../no-masquerade/names.ts';
import type { Plan } from '../no-masquerade/plan.ts';

/** Whether a pod that was given an address really leaves with it: a pod condition without its type and times. */
export interface EgressVerdict {
  readonly status: 'True' | 'False';
  /** UpperCamelCase, machine-readable. */
  readonly reason: 'SourceKept' | 'MasqueradeInBpf' | 'NoPodRule' | 'NoDefaultRoute';
  /** For people. */
  readonly message: string;
}

const MESSAGES: Readonly<Record<EgressVerdict['reason'], string>> = {
  SourceKept: 'what the pod sends to the internet leaves the node with its own address, by its own interface',
  MasqueradeInBpf: 'Cilium masquerades in BPF: the pod leaves with the address of the node',
  NoPodRule: 'Cilium has made no routing rule for the pod: it leaves with the address of the node',
  NoDefaultRoute: "the routing table of the pod's interface leads nowhere: the pod leaves with the address of the node",
};

/** The verdict on a pod after a pass whose steps are done; undefined: it holds no address, so there is none. */
export function egressVerdict(pod: AgentPod, plan: Pick<Plan, 'state' | 'pods'>): EgressVerdict | undefined {
  const holds = (pod.metadata.annotations[ALLOCATION_ANNOTATION] ?? '') !== '';
  if (!holds || pod.hostNetwork || pod.finished) return undefined;
  if (plan.state === 'impossible') return verdictOf('MasqueradeInBpf');
  const found = plan.pods.find(({ ip }) => ip === pod.ipv4);
  // Its address is another pod's by now, or it has none yet: the next pass knows.
  if (found === undefined) return undefined;
  return verdictOf(found.path.kind === 'unknown' ? found.path.reason : 'SourceKept');
}

function verdictOf(reason: EgressVerdict['reason']): EgressVerdict {
  return { status: reason === 'SourceKept' ? 'True' : 'False', reason, message: MESSAGES[reason] };
}
