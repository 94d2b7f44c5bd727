import { removeFinalizerPatch } from '@static-ip/kube';
import type { KubeClient, ReadonlyStore } from '@static-ip/kube';
import type { Eip } from '../../api/eip.ts';
import { ANNOTATION, FINALIZER, isManaged, LEGACY_POD_FINALIZERS } from '../../api/names.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import { tendEgressVerified } from './egress-verified.ts';
import type { EipWriter } from './eip-writer.ts';
import { orGone } from '../or-gone.ts';
import { tendOwnEip } from './own-eip.ts';
import { isFinished } from './pod-target.ts';
import { tendPodGate } from './pod-gate.ts';

export interface TendPodDeps {
  readonly pods: ReadonlyStore<Pod>;
  readonly eips: ReadonlyStore<Eip>;
  /** Keys of the Eips that name this pod in their selector or their status. */
  readonly namedBy: (podKey: string) => readonly string[];
  readonly client: Pick<KubeClient, 'create' | 'delete' | 'patch'>;
  readonly writer: EipWriter;
  /** Annotations of a pod that somebody else has set, and that were therefore left alone. */
  readonly onForeignAnnotation: (pod: Pod, annotations: readonly string[]) => void;
}

/**
 * Does for one pod what is not the claim's business: its own Eip, made and deleted with it; what it shows of the address
 * it has; and finalizers that nothing holds up any more. By state alone: it never matters what happened. @throws KubeError
 */
export async function tendPod(key: string, deps: TendPodDeps, signal: AbortSignal): Promise<void> {
  const pod = deps.pods.get(key);
  await tendOwnEip({ pod, eip: deps.eips.get(key) }, deps.client, signal);
  if (pod === undefined) return;
  await removeLegacyFinalizers(pod, deps, signal);
  const named = deps.namedBy(key).flatMap((eip) => deps.eips.get(eip) ?? []);
  const holder = named.find((eip) => isHeldBy(eip, pod));
  await annotate({ pod, holder }, deps, signal);
  const isOver = pod.metadata.deletionTimestamp !== undefined || isFinished(pod) || !isManaged(pod.metadata.labels);
  if (isOver && holder === undefined) {
    await deps.writer.removeFinalizer({ resource: PODS, object: pod, finalizer: FINALIZER.pod }, signal);
    return;
  }
  const confirmed = holder?.status.associationId === undefined ? undefined : holder;
  await tendPodGate({ pod, hasAddress: confirmed !== undefined }, deps.client, signal);
  if (confirmed !== undefined) await tendEgressVerified({ pod, holder: confirmed, writer: deps.writer }, signal);
}

/** By name and by private address: a pod of the same name may be another one by now. */
function isHeldBy({ status, selector }: Eip, { metadata, podIp }: Pod): boolean {
  if (selector.kind === 'node' || status.resourceId !== metadata.name) return false;
  return podIp === undefined || status.privateIpAddress === undefined || status.privateIpAddress === podIp;
}

interface PodAndHolder {
  readonly pod: Pod;
  /** The Eip whose address it has. */
  readonly holder: Eip | undefined;
}

/** Only what the cloud has confirmed: DNS must not point at an address that somebody else has by then. */
async function annotate({ pod, holder }: PodAndHolder, deps: TendPodDeps, signal: AbortSignal): Promise<void> {
  const shown = pod.metadata.annotations[ANNOTATION.allocationId];
  if (holder === undefined) {
    if (shown !== undefined) await deps.writer.annotate(pod, {}, signal);
    return;
  }
  const { publicIpAddress: ip, allocationId, associationId } = holder.status;
  if (associationId === undefined || allocationId === undefined || isAnnotated(pod, allocationId)) return;
  const foreign = await deps.writer.annotate(pod, { ip, allocationId }, signal);
  if (foreign.length > 0) deps.onForeignAnnotation(pod, foreign);
}

/** The id shows that both were written: a target that differs is then a user's own. */
function isAnnotated({ metadata }: Pod, allocationId: string): boolean {
  const { [ANNOTATION.allocationId]: shownId, [ANNOTATION.externalDnsTarget]: target } = metadata.annotations;
  return shownId === allocationId && target !== undefined;
}

async function removeLegacyFinalizers(pod: Pod, { client }: TendPodDeps, signal: AbortSignal): Promise<void> {
  const { name, namespace, finalizers } = pod.metadata;
  const legacy = LEGACY_POD_FINALIZERS.find((finalizer) => finalizers.includes(finalizer));
  const patch = legacy === undefined ? undefined : removeFinalizerPatch(pod, legacy);
  // One at a time: the watch shows the pod without it, and it is tended again.
  if (patch !== undefined) await orGone(client.patch(PODS, { name, namespace }, patch, signal));
}
