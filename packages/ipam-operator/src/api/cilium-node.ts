import { parseMetadata } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, Resource } from '@static-ip/kube';

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
    staticIpTags: tags(record(spec?.['ipam'])?.['static-ip-tags']),
    assignedStaticIp: text(record(status?.['ipam'])?.['assigned-static-ip']),
    servedByCilium: servedBy(status),
  };
}

function servedBy(status: Readonly<Record<string, unknown>> | undefined): CiliumNode['servedByCilium'] {
  if (Object.keys(record(record(status?.['eni'])?.['enis']) ?? {}).length > 0) return 'eni';
  const interfaces = record(status?.['azure'])?.['interfaces'];
  return Array.isArray(interfaces) && interfaces.length > 0 ? 'azure' : undefined;
}

function tags(value: unknown): Readonly<Record<string, string>> | undefined {
  const map = record(value);
  if (map === undefined) return undefined;
  const entries = Object.entries(map);
  const wrong = entries.find(([, tag]) => typeof tag !== 'string');
  if (wrong !== undefined) throw new TypeError(`spec.ipam.static-ip-tags.${wrong[0]} must be a string`);
  return Object.fromEntries(entries.map(([key, tag]) => [key, String(tag)]));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
