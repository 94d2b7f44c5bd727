import type { ApiClient } from '@static-ip/testkit';
import { FIELD_MANAGER } from '../api/names.ts';
import type { EipVersion } from './eip-objects.ts';

const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/eips.materialize.cloud';

/** Installs it as k8s-eip-operator did at its start: by server-side apply, under its name. */
export async function installPredecessorCrd(
  api: Pick<ApiClient, 'installCrd' | 'patch' | 'send'>,
  versions: readonly EipVersion[],
): Promise<void> {
  const crd = predecessorCrd(versions);
  await api.installCrd(crd);
  // That was applied under another name, which would keep what the next definition leaves out.
  await api.patch(DEFINITION, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }], { type: 'json' });
  await api.send({
    method: 'PATCH',
    path: `${DEFINITION}?fieldManager=${FIELD_MANAGER.predecessor}&force=true`,
    body: JSON.parse(crd),
    contentType: 'application/apply-patch+yaml',
  });
}

/**
 * A definition of Eip that stores and forgets what that of k8s-eip-operator did: v1 with a required podName, v2 with either
 * selector, no rules, a nullable status, no conversion webhook. The newest of the versions is stored. As JSON, which is YAML.
 */
function predecessorCrd(versions: readonly EipVersion[]): string {
  const stored = versions.at(-1);
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'eips.materialize.cloud' },
    spec: {
      group: 'materialize.cloud',
      scope: 'Namespaced',
      names: { kind: 'Eip', plural: 'eips', singular: 'eip', shortNames: [], categories: [] },
      versions: versions.map((name) => ({
        name,
        served: true,
        storage: name === stored,
        subresources: { status: {} },
        schema: { openAPIV3Schema: objectWith({ spec: SPECS[name], status: STATUS }, ['spec']) },
      })),
    },
  });
}

const TEXT = { type: 'string' };
const NULLABLE_TEXT = { type: 'string', nullable: true };

const POD = objectWith({ podName: TEXT }, ['podName']);
const NODE = objectWith({ selector: { type: 'object', additionalProperties: TEXT } }, ['selector']);

const SPECS = {
  v1: objectWith({ podName: TEXT }, ['podName']),
  v2: objectWith({
    selector: { ...objectWith({ pod: POD, node: NODE }), oneOf: [{ required: ['pod'] }, { required: ['node'] }] },
  }),
} as const;

const STATUS = {
  ...objectWith({
    allocationId: NULLABLE_TEXT,
    associationId: NULLABLE_TEXT,
    eni: NULLABLE_TEXT,
    privateIpAddress: NULLABLE_TEXT,
    publicIpAddress: NULLABLE_TEXT,
    resourceId: NULLABLE_TEXT,
  }),
  nullable: true,
};

function objectWith(properties: Readonly<Record<string, object>>, required: readonly string[] = []): object {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}
