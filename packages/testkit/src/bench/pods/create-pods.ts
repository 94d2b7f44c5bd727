import type { ApiClient } from '../../cluster/api.ts';
import { podObject } from '../../world/eip-world.ts';
import { concurrently } from '../concurrently.ts';
import type { BenchPod } from './pod-places.ts';

/** What one API server on the same machine takes gladly; more only makes a queue in the client. */
const IN_FLIGHT = 32;

const PODS = '/api/v1/namespaces/default/pods';
const READY = { type: 'Ready', status: 'True' };

type Labels = Readonly<Record<string, string>>;

/**
 * Creates pods that run, as fast as the API server takes them: bound to their node, with their private address. Answers
 * when the create of each was sent, in milliseconds since the epoch.
 */
export async function createPods(
  api: ApiClient,
  pods: readonly BenchPod[],
  labels: Labels,
): Promise<ReadonlyMap<string, number>> {
  const sentAtMs = new Map<string, number>();
  await concurrently(pods, IN_FLIGHT, async ({ name, node, privateIp: ip }) => {
    sentAtMs.set(name, Date.now());
    await api.create(podObject({ name, node, labels }));
    const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [READY] };
    await api.patchStatus(`${PODS}/${name}`, status);
  });
  return sentAtMs;
}

/** Creates an Eip for each pod, under the pod's name. */
export async function createEips(api: ApiClient, pods: readonly BenchPod[]): Promise<void> {
  await concurrently(pods, IN_FLIGHT, async ({ name }) => {
    const metadata = { name, namespace: 'default' };
    const eip = {
      apiVersion: 'materialize.cloud/v2',
      kind: 'Eip',
      metadata,
      spec: { selector: { pod: { podName: name } } },
    };
    await api.create(eip);
  });
}

/** Deletes pods, as kubelets do at the end; finalizers still hold them. Answers when each delete was sent. */
export async function deletePods(api: ApiClient, pods: readonly BenchPod[]): Promise<ReadonlyMap<string, number>> {
  const sentAtMs = new Map<string, number>();
  await concurrently(pods, IN_FLIGHT, async ({ name }) => {
    sentAtMs.set(name, Date.now());
    await api.delete(`${PODS}/${name}?gracePeriodSeconds=0`);
  });
  return sentAtMs;
}
