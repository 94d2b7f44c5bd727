import { isKubeError } from '@static-ip/kube';
import type { KubeClient } from '@static-ip/kube';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { FINALIZER, isManaged, LABEL, wantsAutocreatedEip } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import { isFinished } from './pod-target.ts';

type Client = Pick<KubeClient, 'create' | 'delete'>;

/** A pod, and the Eip of its name. */
export interface PodAndEip {
  readonly pod: Pod | undefined;
  readonly eip: Eip | undefined;
}

/** Creates the Eip that a pod asks for, under the pod's name, and deletes it when the pod is over. @throws KubeError */
export async function tendOwnEip({ pod, eip }: PodAndEip, client: Client, signal: AbortSignal): Promise<void> {
  const isOver = pod === undefined || pod.metadata.deletionTimestamp !== undefined || isFinished(pod);
  if (isOver) {
    if (eip !== undefined && isAutocreated(eip, pod)) await deleteEip(eip, client, signal);
    return;
  }
  const { labels } = pod.metadata;
  if (eip === undefined && isManaged(labels) && wantsAutocreatedEip(labels)) await createEip(pod, client, signal);
}

/** The predecessor left no mark on the Eips it made: they have the pod's name, and the pod asks for one. */
function isAutocreated({ metadata, selector }: Eip, pod: Pod | undefined): boolean {
  if (metadata.labels[LABEL.autocreated] === 'true') return true;
  if (pod === undefined || selector.kind !== 'pod') return false;
  return selector.podName === pod.metadata.name && wantsAutocreatedEip(pod.metadata.labels);
}

async function createEip({ metadata }: Pod, client: Client, signal: AbortSignal): Promise<void> {
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

async function deleteEip({ metadata }: Eip, client: Client, signal: AbortSignal): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  const { name, namespace, uid } = metadata;
  try {
    await client.delete(EIPS, { name, namespace }, { uid }, signal);
  } catch (error) {
    // Gone, or another object by now.
    if (!isKubeError(error, 'notFound') && !isKubeError(error, 'conflict')) throw error;
  }
}
