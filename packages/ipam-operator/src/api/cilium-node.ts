import { parseMetadata } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, Resource } from '@static-ip/kube';
import { record, records, text, textMap } from './json.ts';
import type { RawRecord } from './json.ts';

/** The fields of a CiliumNode that this operator reads. Everything else is dropped on arrival: clusters are large. */
export interface CiliumNode extends KubeObject {
  readonly metadata: KubeMetadata;
  /** `spec.instance-id`: set by Cilium in its cloud modes only. */
  readonly instanceId?: string | undefined;
  /** `spec.ipam.static-ip-tags`; absent is not the same as empty for the reader of the object, but is for us. */
  readonly staticIpTags?: Readonly<Record<string, string>> | undefined;
  /** `status.ipam.assigned-static-ip`. */
  readonly assignedStaticIp?: string | undefined;
  /** The cloud whose interfaces Cilium's own operator lists in the status: it is at work on this node. */
  readonly servedByCilium?: 'eni' | 'azure' | undefined;
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

/** @throws TypeError for an object that no served CiliumNode schema would admit. */
function parseCiliumNode(raw: unknown): CiliumNode {
  const object = record(raw) ?? {};
  const spec = record(object['spec']);
  const status = record(object['status']);
  return {
    metadata: parseMetadata(raw),
    instanceId: text(spec?.['instance-id']),
    staticIpTags: textMap(record(spec?.['ipam'])?.['static-ip-tags'], 'spec.ipam.static-ip-tags'),
    assignedStaticIp: text(record(status?.['ipam'])?.['assigned-static-ip']),
    servedByCilium: servedBy(status),
  };
}

function servedBy(status: RawRecord | undefined): CiliumNode['servedByCilium'] {
  if (Object.keys(record(record(status?.['eni'])?.['enis']) ?? {}).length > 0) return 'eni';
  return records(record(status?.['azure'])?.['interfaces']).length > 0 ? 'azure' : undefined;
}
