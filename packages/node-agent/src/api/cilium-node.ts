import type { Tags } from '@static-ip/cni-config';
import { parseMetadata } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, Resource } from '@static-ip/kube';
import { readEnis } from '../no-masquerade/eni.ts';
import type { Eni } from '../no-masquerade/eni.ts';
import { isRaw } from '../no-masquerade/shape.ts';
import { FIELD_MANAGER } from './names.ts';

/** The fields of its own CiliumNode that the agent reads. */
export interface CiliumNode extends KubeObject {
  readonly metadata: KubeMetadata;
  /** `spec.ipam.static-ip-tags`. */
  readonly tags: Tags | undefined;
  /** Who wrote the tags that are there, sorted, without ourselves: managers of the field as the server keeps them. */
  readonly otherWriters: readonly string[];
  /** The cloud whose interfaces are in the status: Cilium's IPAM of that cloud is at work on this node. */
  readonly cloud: 'eni' | 'azure' | 'alibaba-cloud' | undefined;
  /** The node's interfaces as Cilium's ENI mode lists them. */
  readonly enis: readonly Eni[];
  /** Uid of the Node that owns it; Cilium keeps this reference. */
  readonly nodeUid: string | undefined;
  /** `status.ipam.assigned-static-ip`. */
  readonly assignedStaticIp: string | undefined;
}

/** `ciliumnodes.cilium.io`, v2. */
export const CILIUM_NODES: Resource<CiliumNode> = {
  group: 'cilium.io',
  version: 'v2',
  plural: 'ciliumnodes',
  kind: 'CiliumNode',
  namespaced: false,
  parse: parseCiliumNode,
};

function parseCiliumNode(raw: unknown): CiliumNode {
  const metadata = parseMetadata(raw);
  const status = memberOf(raw, 'status');
  const tags = tagsOf(memberOf(memberOf(memberOf(raw, 'spec'), 'ipam'), 'static-ip-tags'));
  const assigned = memberOf(memberOf(status, 'ipam'), 'assigned-static-ip');
  return {
    metadata,
    tags,
    otherWriters: otherWriters(memberOf(memberOf(raw, 'metadata'), 'managedFields'), Object.keys(tags ?? {})),
    cloud: cloudOf(status),
    enis: readEnis(raw),
    nodeUid: metadata.ownerReferences.find(({ kind }) => kind === 'Node')?.uid,
    assignedStaticIp: typeof assigned === 'string' && assigned !== '' ? assigned : undefined,
  };
}

/**
 * The managers of single tags, from `metadata.managedFields`. Each field has the last who changed it; one who writes the
 * whole object back as it was gets nothing (https://kubernetes.io/docs/reference/using-api/server-side-apply/).
 */
function otherWriters(managedFields: unknown, keys: readonly string[]): readonly string[] {
  const entries: readonly unknown[] = Array.isArray(managedFields) ? managedFields : [];
  const managers = entries.flatMap((entry) => {
    const fields = memberOf(memberOf(memberOf(entry, 'fieldsV1'), 'f:spec'), 'f:ipam');
    const owned = memberOf(fields, 'f:static-ip-tags');
    const manager = memberOf(entry, 'manager');
    const isWriter = isRaw(owned) && keys.some((key) => Object.hasOwn(owned, `f:${key}`));
    return isWriter && typeof manager === 'string' && manager !== FIELD_MANAGER ? [manager] : [];
  });
  return [...new Set(managers)].toSorted();
}

function cloudOf(status: unknown): CiliumNode['cloud'] {
  if (hasEntries(memberOf(memberOf(status, 'eni'), 'enis'))) return 'eni';
  if (hasEntries(memberOf(memberOf(status, 'azure'), 'interfaces'))) return 'azure';
  return hasEntries(memberOf(memberOf(status, 'alibaba-cloud'), 'enis')) ? 'alibaba-cloud' : undefined;
}

function hasEntries(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function tagsOf(value: unknown): Tags | undefined {
  if (!isRaw(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}

function memberOf(value: unknown, key: string): unknown {
  return isRaw(value) ? value[key] : undefined;
}
