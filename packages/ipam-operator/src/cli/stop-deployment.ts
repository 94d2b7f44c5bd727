import { parseMetadata } from '@static-ip/kube';
import type { KubeClient, ObjectRef, Resource } from '@static-ip/kube';

/** All that is read of a Deployment. */
const DEPLOYMENTS: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
  parse: (raw) => ({ metadata: parseMetadata(raw) }),
};

/** Scales a Deployment to no replicas: its pods are told to stop, and give up the lease. @throws KubeError */
export async function stopDeployment(
  client: Pick<KubeClient, 'patch'>,
  deployment: ObjectRef,
  signal: AbortSignal,
): Promise<void> {
  const body = { spec: { replicas: 0 } };
  await client.patch(DEPLOYMENTS, deployment, { type: 'merge', subresource: 'scale', body }, signal);
}
