import { isKubeError, removeFinalizerPatch } from '@static-ip/kube';
import type { KubeClient, ReadonlyStore } from '@static-ip/kube';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import {
  ANNOTATION,
  FINALIZER,
  isManaged,
  LABEL,
  LEGACY_POD_FINALIZERS,
  wantsAutocreatedEip,
} from '../../api/names.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import { isFinished } from './choose-pod.ts';
import type { EipWriter } from './eip-writer.ts';

export interface TendPodDeps {
  readonly pods: ReadonlyStore<Pod>;
  readonly eips: ReadonlyStore<Eip>;
  readonly client: Pick<KubeClient, 'create' | 'delete' | 'patch'>;
  readonly writer: EipWriter;
}

/**
 * Does for one pod what is not the claim's business: its own Eip, made and deleted with it, and finalizers and
 * annotations that nothing holds up any more. By state alone: it never matters what happened. @throws KubeError
 */
export async function tendPod(key: string, deps: TendPodDeps, signal: AbortSignal): Promise<void> {
  const pod = deps.pods.get(key);
  const own = deps.eips.get(key);
  const needsOwn = pod !== undefined && isManaged(pod.metadata.labels) && wantsAutocreatedEip(pod.metadata.labels);
  const isOver = pod === undefined || pod.metadata.deletionTimestamp !== undefined || isFinished(pod);
  if (needsOwn && !isOver && own === undefined) await createEip(pod, deps, signal);
  if (isOver && own !== undefined && isAutocreated(own, pod)) await deleteEip(own, deps, signal);
  if (pod === undefined) return;
  await removeLegacyFinalizers(pod, deps, signal);
  const isDone = isOver || !isManaged(pod.metadata.labels);
  if (isDone && !holdsAddress(pod, deps.eips)) await clear(pod, deps, signal);
}

/** The predecessor left no mark on the Eips it made: they have the pod's name, and the pod asks for one. */
function isAutocreated({ metadata, selector }: Eip, pod: Pod | undefined): boolean {
  if (metadata.labels[LABEL.autocreated] === 'true') return true;
  if (pod === undefined || selector.kind !== 'pod') return false;
  return selector.podName === pod.metadata.name && wantsAutocreatedEip(pod.metadata.labels);
}

async function createEip({ metadata }: Pod, { client }: TendPodDeps, signal: AbortSignal): Promise<void> {
  const { name, namespace } = metadata;
  const body = {
    apiVersion: `${EIPS.group}/${EIPS.version}`,
    kind: EIPS.kind,
    // The finalizer comes with the object: there is no moment in which an address could exist without it.
    metadata: { name, namespace, labels: { [LABEL.autocreated]: 'true' }, finalizers: [FINALIZER.eip] },
    spec: { selector: { pod: { podName: name } } },
  };
  try {
    await client.create(EIPS, body, signal);
  } catch (error) {
    if (!isKubeError(error, 'alreadyExists')) throw error;
  }
}

async function deleteEip({ metadata }: Eip, { client }: TendPodDeps, signal: AbortSignal): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  const { name, namespace, uid } = metadata;
  try {
    await client.delete(EIPS, { name, namespace }, { uid }, signal);
  } catch (error) {
    // Gone, or another object by now.
    if (!isKubeError(error, 'notFound') && !isKubeError(error, 'conflict')) throw error;
  }
}

async function removeLegacyFinalizers(pod: Pod, { client }: TendPodDeps, signal: AbortSignal): Promise<void> {
  const { name, namespace, finalizers } = pod.metadata;
  const legacy = LEGACY_POD_FINALIZERS.find((finalizer) => finalizers.includes(finalizer));
  const patch = legacy === undefined ? undefined : removeFinalizerPatch(pod, legacy);
  if (patch === undefined) return;
  try {
    // One at a time: the watch shows the pod without it, and it is tended again.
    await client.patch(PODS, { name, namespace }, patch, signal);
  } catch (error) {
    if (!isKubeError(error, 'notFound')) throw error;
  }
}

/** Whether an Eip's status still names this pod, by name and by address: a pod of the same name may be another one. */
function holdsAddress({ metadata, podIp }: Pod, eips: ReadonlyStore<Eip>): boolean {
  return eips.list().some(({ metadata: eip, status, selector }) => {
    if (eip.namespace !== metadata.namespace || selector.kind === 'node') return false;
    return status.resourceId === metadata.name && (podIp === undefined || status.privateIpAddress === podIp);
  });
}

async function clear(pod: Pod, { writer }: TendPodDeps, signal: AbortSignal): Promise<void> {
  if (pod.metadata.annotations[ANNOTATION.allocationId] !== undefined) await writer.annotate(pod, {}, signal);
  await writer.removeFinalizer({ resource: PODS, object: pod, finalizer: FINALIZER.pod }, signal);
}
