import { parseMetadata } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, Resource } from '@static-ip/kube';

/** The fields of a Node that this operator reads. */
export interface Node extends KubeObject {
  readonly metadata: KubeMetadata;
  /** `spec.providerID`: set once, by the cloud's controller, some time after the Node appears. */
  readonly providerId?: string | undefined;
}

/** Core `nodes`, v1. */
export const NODES: Resource<Node> = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  parse: (raw) => ({ metadata: parseMetadata(raw), providerId: providerIdOf(raw) }),
};

function providerIdOf(raw: unknown): string | undefined {
  if (typeof raw !== 'object' || raw === null || !('spec' in raw)) return undefined;
  const { spec } = raw;
  if (typeof spec !== 'object' || spec === null || !('providerID' in spec)) return undefined;
  return typeof spec.providerID === 'string' && spec.providerID !== '' ? spec.providerID : undefined;
}
