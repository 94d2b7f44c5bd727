import { isIPv4 } from 'node:net';
import { parseMetadata } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, Resource } from '@static-ip/kube';
import { sortAddresses } from './cidr.ts';
import { ALLOCATION_ANNOTATION } from './names.ts';
import { isRaw } from './shape.ts';

/** What this job keeps of a pod; the rest of the object is not held in memory. */
export interface AgentPod extends KubeObject {
  readonly metadata: KubeMetadata;
  readonly nodeName: string;
  readonly hostNetwork: boolean;
  /** Succeeded or Failed: its address may belong to another pod by now. */
  readonly finished: boolean;
  /** Unset until it has one. */
  readonly ipv4: string | undefined;
}

/** Core `pods`, v1. */
export const AGENT_PODS: Resource<AgentPod> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
  parse: parsePod,
};

function parsePod(raw: unknown): AgentPod {
  const { name, namespace = '', uid, resourceVersion, creationTimestamp = '', annotations } = parseMetadata(raw);
  const allocation = annotations[ALLOCATION_ANNOTATION];
  const spec = memberOf(raw, 'spec');
  const status = memberOf(raw, 'status');
  const phase = memberOf(status, 'phase');
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
      annotations: allocation === undefined ? {} : { [ALLOCATION_ANNOTATION]: allocation },
      labels: {},
      finalizers: [],
      ownerReferences: [],
    },
    nodeName: textOr(memberOf(spec, 'nodeName'), ''),
    hostNetwork: memberOf(spec, 'hostNetwork') === true,
    finished: phase === 'Succeeded' || phase === 'Failed',
    ipv4: ipv4Of(status),
  };
}

function ipv4Of(status: unknown): string | undefined {
  const list = memberOf(status, 'podIPs');
  const ips = Array.isArray(list) ? list.map((one: unknown) => textOr(memberOf(one, 'ip'), '')) : [];
  return [...ips, textOr(memberOf(status, 'podIP'), '')].find((ip) => isIPv4(ip));
}

function memberOf(value: unknown, key: string): unknown {
  return isRaw(value) ? value[key] : undefined;
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

/**
 * IPv4 addresses of the node's pods that hold a public address, sorted. A host-network pod's is the node's own; a finished
 * pod's may be another's; and of two pods with one address it is the younger's, whatever the older one holds.
 */
export function addressHolders(pods: readonly AgentPod[], nodeName: string): readonly string[] {
  const owners = new Map<string, AgentPod>();
  for (const pod of pods) {
    if (pod.nodeName !== nodeName || pod.hostNetwork || pod.finished || pod.ipv4 === undefined) continue;
    const other = owners.get(pod.ipv4);
    if (other === undefined || isYounger(pod, other)) owners.set(pod.ipv4, pod);
  }
  return sortAddresses([...owners].flatMap(([ip, pod]) => (holdsAddress(pod) ? [ip] : [])));
}

/** RFC 3339 times of the API server sort as text; of two in one second the unmanaged one wins: the safe side. */
function isYounger(pod: AgentPod, other: AgentPod): boolean {
  const { creationTimestamp: a = '' } = pod.metadata;
  const { creationTimestamp: b = '' } = other.metadata;
  return a === b ? !holdsAddress(pod) : a > b;
}

function holdsAddress({ metadata }: AgentPod): boolean {
  return (metadata.annotations[ALLOCATION_ANNOTATION] ?? '') !== '';
}
