import { parseMetadata } from '@static-ip/kube';
import type { KubeClient, Resource } from '@static-ip/kube';

/** Core `namespaces`, v1. */
const NAMESPACES: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
  parse: (raw) => ({ metadata: parseMetadata(raw) }),
};

/** The uid of a namespace; that of kube-system tells clusters apart for as long as they exist. @throws KubeError */
export async function readNamespaceUid(
  client: Pick<KubeClient, 'get'>,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  return (await client.get(NAMESPACES, { name }, signal)).metadata.uid;
}
