import { isManaged, LABEL } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import type { Pod } from '../../api/pod.ts';
import type { Refusal } from '../../core/claim.ts';
import { parseProviderId } from '../../core/provider-id.ts';
import { nobody } from './choice.ts';
import type { Choice } from './choice.ts';

/** True when the pod will never run again. */
export function isFinished({ phase }: Pod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Why a pod cannot have an address (now); undefined when it can. */
export function whyNotPod(pod: Pod): Refusal | undefined {
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

interface TargetWorld {
  readonly nodeOf: (name: string) => Node | undefined;
}

/** Where the address of a pod belongs: on its private address, of whatever interface has it. */
export function podTarget(pod: Pod, { nodeOf }: TargetWorld, reviewAt?: number): Choice {
  const refusal = whyNotPod(pod);
  if (refusal !== undefined) return { nobody: refusal };
  const { podEni, podIp: privateIp } = pod;
  if (podEni !== undefined && 'problem' in podEni) {
    return nobody('RequestInvalid', `Pod ${pod.metadata.name}: ${podEni.problem}`);
  }
  // The annotation is another program's word: it counts only where it agrees with the pod's own status.
  if (podEni === undefined || podEni.privateIp !== privateIp) return onInstance(pod, nodeOf, reviewAt);
  const target = { kind: 'privateIp', privateIp, interfaceId: podEni.eniId } as const;
  return { resourceId: pod.metadata.name, target, reviewAt };
}

function onInstance(pod: Pod, nodeOf: TargetWorld['nodeOf'], reviewAt: number | undefined): Choice {
  const { podIp: privateIp = '', nodeName = '', hostNetwork } = pod;
  const identity = parseProviderId(nodeOf(nodeName)?.providerId);
  switch (identity.kind) {
    case 'invalid':
      return nobody('ProviderIdInvalid', identity.problem);
    case 'unknown':
      return nobody('InstanceUnknown', `The provider id of Node ${nodeName} is not set yet`);
    case 'instance': {
      const { instanceId } = identity;
      const onInterface = { kind: 'privateIp', privateIp, instanceId } as const;
      // A pod on the host's network has the node's own address.
      const target = hostNetwork ? ({ kind: 'instance', instanceId } as const) : onInterface;
      return { resourceId: pod.metadata.name, target, reviewAt };
    }
  }
}
