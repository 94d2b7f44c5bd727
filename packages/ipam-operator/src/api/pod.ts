import { isIPv4 } from 'node:net';
import { parseMetadata } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, Resource } from '@static-ip/kube';
import { parseConditions } from './condition.ts';
import type { Condition } from './condition.ts';
import { record, records, text } from './json.ts';
import type { RawRecord } from './json.ts';
import { ANNOTATION } from './names.ts';
import { parsePodEni } from './pod-eni.ts';
import type { PodEni } from './pod-eni.ts';

/** The fields of a Pod that this operator reads. Everything else is dropped on arrival: clusters are large. */
export interface Pod extends KubeObject {
  readonly metadata: KubeMetadata;
  /** `spec.nodeName`: absent until the pod is scheduled. */
  readonly nodeName?: string | undefined;
  /** The pod's first IPv4 address: absent until its network is set up, and on a pod that only has IPv6. */
  readonly podIp?: string | undefined;
  readonly phase: PodPhase;
  /** Shares its node's network: its address is the node's own. */
  readonly hostNetwork: boolean;
  /** The branch interface that the VPC CNI gave the pod, where security groups for pods are used. */
  readonly podEni?: PodEni | undefined;
  /** The condition types that the pod's readiness waits for. */
  readonly readinessGates: readonly string[];
  readonly conditions: readonly Condition[];
}

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;

/** `status.phase`; a word that Kubernetes does not define counts as Unknown. */
export type PodPhase = (typeof PHASES)[number];

/** Core `pods`, v1. */
export const PODS: Resource<Pod> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
  parse: parsePod,
};

function parsePod(raw: unknown): Pod {
  const object = record(raw) ?? {};
  const spec = record(object['spec']) ?? {};
  const status = record(object['status']) ?? {};
  const metadata = parseMetadata(raw);
  return {
    metadata,
    nodeName: text(spec['nodeName']),
    podIp: firstIpv4(status),
    phase: PHASES.find((phase) => phase === status['phase']) ?? 'Unknown',
    hostNetwork: spec['hostNetwork'] === true,
    podEni: parsePodEni(metadata.annotations[ANNOTATION.podEni]),
    readinessGates: records(spec['readinessGates']).flatMap((gate) => text(gate['conditionType']) ?? []),
    conditions: parseConditions(status['conditions']),
  };
}

/** `podIPs` holds one address of each family, in the cluster's order; `podIP` repeats its first. */
function firstIpv4(status: RawRecord): string | undefined {
  const all = [...records(status['podIPs']).map((entry) => text(entry['ip'])), text(status['podIP'])];
  return all.find((ip) => ip !== undefined && isIPv4(ip));
}
