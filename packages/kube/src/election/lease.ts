import { memberOf, numberOf, stringOf } from '../json/shape.ts';
import { parseMetadata } from '../objects/parse-metadata.ts';
import type { KubeObject, Resource } from '../objects/object.ts';

/** The part of a Lease that an election reads. */
export interface Lease extends KubeObject {
  /** '' when free. */
  readonly holder: string;
  /** As the holder promised it, not as this process is configured; 0 when unset. */
  readonly durationMs: number;
  readonly renewTime: string;
  readonly transitions: number;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/ */
export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
  parse: (raw) => {
    const spec = memberOf(raw, 'spec');
    return {
      metadata: parseMetadata(raw),
      holder: stringOf(memberOf(spec, 'holderIdentity')) ?? '',
      durationMs: (numberOf(memberOf(spec, 'leaseDurationSeconds')) ?? 0) * 1_000,
      renewTime: stringOf(memberOf(spec, 'renewTime')) ?? '',
      transitions: numberOf(memberOf(spec, 'leaseTransitions')) ?? 0,
    };
  },
};
