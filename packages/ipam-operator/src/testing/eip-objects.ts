import { readFileSync } from 'node:fs';
import type { EipFields } from '../schema/eip-fields.ts';

/** The definition as it is written by hand. */
export const EIP_CRD = readFileSync(
  new URL('../../../../schemas/crd/eips.materialize.cloud.yaml', import.meta.url),
  'utf8',
);

export const EIP_VERSIONS = ['v1', 'v2'] as const;
export type EipVersion = (typeof EIP_VERSIONS)[number];

/** An Eip as the server takes and gives it. */
export interface EipObject {
  readonly apiVersion: string;
  readonly kind: 'Eip';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** An Eip in the namespace `default`. */
export function eipObject(spec: EipObject['spec'], version: EipVersion = 'v2', name = 'a'): EipObject {
  return { apiVersion: `materialize.cloud/${version}`, kind: 'Eip', metadata: { name, namespace: 'default' }, spec };
}

/** URL path of an Eip of the namespace `default`, or of all of them. */
export function eipPath(version: EipVersion, name?: string): string {
  return `/apis/materialize.cloud/${version}/namespaces/default/eips${name === undefined ? '' : `/${name}`}`;
}

/** The status fields of k8s-eip-operator, for an address on the pod web-0. */
export const HELD = {
  allocationId: 'eipalloc-0a1b',
  publicIpAddress: '198.51.100.7',
  eni: 'eni-0a1b',
  privateIpAddress: '10.0.0.7',
  resourceId: 'web-0',
  associationId: 'eipassoc-0a1b',
} as const;

/** The same with all that this operator writes. */
export const HELD_AND_READY = {
  ...HELD,
  observedGeneration: 1,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'AddressAssigned',
      message: 'web-0 has 198.51.100.7',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    },
  ],
} satisfies EipFields['status'];
