import { parseMetadata } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, Resource } from '@static-ip/kube';
import { parseConditions } from './condition.ts';
import type { Condition } from './condition.ts';
import { parseEipSelector } from './eip-selector.ts';
import type { EipSelector } from './eip-selector.ts';
import { integer, record, text, textMap } from './json.ts';
import type { RawRecord } from './json.ts';

/** What an `Eip` asks for and what it has. The status is what this operator, or its predecessor, wrote last. */
export interface Eip extends KubeObject {
  readonly metadata: KubeMetadata;
  /** Whose the address shall be; v1's `spec.podName` and v2's `spec.selector` are one here. */
  readonly selector: EipSelector;
  /** `spec.staticIpTags`: take a free address that has all of these tags. Absent: allocate. */
  readonly staticIpTags?: Readonly<Record<string, string>> | undefined;
  /** `spec.allocationId`: use this address and no other. */
  readonly allocationId?: string | undefined;
  /** `spec.publicIpv4Pool`: the pool to allocate from. */
  readonly publicIpv4Pool?: string | undefined;
  /** `spec.networkBorderGroup`: where to allocate. */
  readonly networkBorderGroup?: string | undefined;
  /** `spec.reclaimPolicy`; absent means Delete for an allocated address. An adopted one is never released. */
  readonly reclaimPolicy?: ReclaimPolicy | undefined;
  readonly status: EipStatus;
}

/** What becomes of an allocated address when its Eip is deleted. */
export type ReclaimPolicy = 'Delete' | 'Retain';

/** Fields are absent where the object says null, "" or nothing: the predecessor clears fields by null. */
export interface EipStatus {
  readonly allocationId?: string | undefined;
  readonly publicIpAddress?: string | undefined;
  /** The interface that holds the address. */
  readonly eni?: string | undefined;
  /** The private address of that interface which it is mapped to. */
  readonly privateIpAddress?: string | undefined;
  /** Name of the pod or node that has the address. */
  readonly resourceId?: string | undefined;
  readonly associationId?: string | undefined;
  readonly conditions: readonly Condition[];
  /** `metadata.generation` that the conditions speak of. */
  readonly observedGeneration?: number | undefined;
}

/** `eips.materialize.cloud`, in the stored version. Both versions have one schema, so v1 objects read the same here. */
export const EIPS: Resource<Eip> = {
  group: 'materialize.cloud',
  version: 'v2',
  plural: 'eips',
  kind: 'Eip',
  namespaced: true,
  parse: parseEip,
};

/** @throws TypeError for a map with a member that is no text, which no served schema would admit. */
function parseEip(raw: unknown): Eip {
  const object = record(raw) ?? {};
  const spec = record(object['spec']) ?? {};
  return {
    metadata: parseMetadata(raw),
    selector: parseEipSelector(spec),
    staticIpTags: textMap(spec['staticIpTags'], 'spec.staticIpTags'),
    allocationId: text(spec['allocationId']),
    publicIpv4Pool: text(spec['publicIpv4Pool']),
    networkBorderGroup: text(spec['networkBorderGroup']),
    reclaimPolicy: reclaimPolicy(spec['reclaimPolicy']),
    status: parseStatus(record(object['status']) ?? {}),
  };
}

/** @throws TypeError for another word: to guess could release an address that somebody wants to keep. */
function reclaimPolicy(value: unknown): ReclaimPolicy | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === 'Delete' || value === 'Retain') return value;
  throw new TypeError('spec.reclaimPolicy must be Delete or Retain');
}

function parseStatus(status: RawRecord): EipStatus {
  return {
    allocationId: text(status['allocationId']),
    publicIpAddress: text(status['publicIpAddress']),
    eni: text(status['eni']),
    privateIpAddress: text(status['privateIpAddress']),
    resourceId: text(status['resourceId']),
    associationId: text(status['associationId']),
    conditions: parseConditions(status['conditions']),
    observedGeneration: integer(status['observedGeneration']),
  };
}
