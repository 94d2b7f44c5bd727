import { parseMetadata } from '@static-ip/kube';
import type { KubeClient, Resource } from '@static-ip/kube';
import { FIELD_MANAGER } from '../../api/names.ts';
import definition from '../../schema/eip-crd.json' with { type: 'json' };

const DEFINITIONS: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
  parse: (raw) => ({ metadata: parseMetadata(raw) }),
};

/**
 * Creates the definition of Eip, or brings an older one up to date, that of k8s-eip-operator included: server-side apply under
 * the field manager which that one used, so that what it had set and we do not is gone afterwards. Stored objects stay.
 * A definition that stores a version we do not know is left alone, as the server refuses to drop the version.
 *
 * Resolves when the server has accepted it; it may take a moment until Eips are served.
 * @throws KubeError `forbidden` without the right to patch, and create, customresourcedefinitions.
 */
export async function installEipCrd(kube: Pick<KubeClient, 'patch'>, signal: AbortSignal): Promise<void> {
  const { name } = definition.metadata;
  const fieldManager = FIELD_MANAGER.predecessor;
  await kube.patch(DEFINITIONS, { name }, { type: 'apply', body: definition, fieldManager, force: true }, signal);
}
