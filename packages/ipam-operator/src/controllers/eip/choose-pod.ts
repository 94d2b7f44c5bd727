import type { EipSelector } from '../../api/eip-selector.ts';
import { isManaged, LABEL } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import type { Pod } from '../../api/pod.ts';
import type { Refusal } from '../../core/claim.ts';
import { parseProviderId } from '../../core/provider-id.ts';
import { byAge, hasLabels, nobody } from './choice.ts';
import type { Choice } from './choice.ts';

/** What the choice of a pod rests on. */
export interface PodWorld {
  /** The pods of the Eip's namespace. */
  readonly pods: readonly Pod[];
  readonly nodeOf: (name: string) => Node | undefined;
  /** The pod that has the address now, by the Eip's status: it keeps it as long as it can. */
  readonly holder?: string | undefined;
}

type PodSelector = Extract<EipSelector, { kind: 'pod' | 'podLabels' }>;

/** Chooses the pod for an Eip. Pure. */
export function choosePod(selector: PodSelector, world: PodWorld): Choice {
  if (selector.kind === 'pod') {
    const pod = world.pods.find(({ metadata }) => metadata.name === selector.podName);
    return pod === undefined ? nobody('TargetMissing', `There is no pod ${selector.podName}`) : targetOf(pod, world);
  }
  const matching = world.pods.filter((pod) => hasLabels(pod.metadata.labels, selector.labels));
  const usable = matching.filter((pod) => whyNot(pod) === undefined).toSorted(byAge);
  const chosen = usable.find(({ metadata }) => metadata.name === world.holder) ?? usable.find(isReady) ?? usable[0];
  if (chosen !== undefined) return targetOf(chosen, world);
  const [first] = matching.toSorted(byAge);
  return first === undefined ? nobody('TargetMissing', 'No pod has the labels') : targetOf(first, world);
}

/** True when the pod will never run again. */
export function isFinished({ phase }: Pod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Why a pod cannot have an address (now); undefined when it can. */
function whyNot(pod: Pod): Refusal | undefined {
  const { name, labels, deletionTimestamp } = pod.metadata;
  const because = (message: string): Refusal => ({ reason: 'TargetMissing', message: `Pod ${name} ${message}` });
  if (!isManaged(labels)) return because(`lacks the label ${LABEL.manage}=true`);
  if (deletionTimestamp !== undefined) return because('is being deleted');
  if (isFinished(pod)) return because(`has finished (${pod.phase})`);
  if (labels[LABEL.fargateProfile] !== undefined) {
    return { reason: 'Unsupported', message: `Pod ${name} runs on Fargate, where pods cannot have public addresses` };
  }
  if (pod.nodeName === undefined) return because('is not scheduled yet');
  return pod.podIp === undefined ? because('has no IPv4 address (yet)') : undefined;
}

function targetOf(pod: Pod, { nodeOf }: PodWorld): Choice {
  const refusal = whyNot(pod);
  if (refusal !== undefined) return { nobody: refusal };
  const { name } = pod.metadata;
  const privateIp = pod.podIp ?? '';
  const { podEni } = pod;
  if (podEni !== undefined && 'problem' in podEni) {
    return nobody('RequestInvalid', `Pod ${name}: ${podEni.problem}`);
  }
  // The annotation is another program's word: it counts only where it agrees with the pod's own status.
  if (podEni !== undefined && podEni.privateIp === privateIp) {
    return { resourceId: name, target: { kind: 'privateIp', privateIp, interfaceId: podEni.eniId } };
  }
  const identity = parseProviderId(nodeOf(pod.nodeName ?? '')?.providerId);
  if (identity.kind === 'invalid') return nobody('ProviderIdInvalid', identity.problem);
  if (identity.kind === 'unknown') {
    return nobody('InstanceUnknown', `The provider id of Node ${pod.nodeName ?? ''} is not set yet`);
  }
  const { instanceId } = identity;
  // A pod on the host's network has the node's own address.
  if (pod.hostNetwork) return { resourceId: name, target: { kind: 'instance', instanceId } };
  return { resourceId: name, target: { kind: 'privateIp', privateIp, instanceId } };
}

function isReady({ conditions }: Pod): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
