import type { EipVersion } from './eip-objects.ts';

/**
 * A definition of Eip that stores and forgets what that of k8s-eip-operator did: v1 with a required podName, v2 with either
 * selector, no rules, a nullable status, no conversion webhook. The newest of the versions is stored. As JSON, which is YAML.
 */
export function predecessorCrd(versions: readonly EipVersion[]): string {
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
