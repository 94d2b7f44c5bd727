import { parseMetadata } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, Resource } from '@static-ip/kube';
import { parseConditions } from './condition.ts';
import type { Condition } from './condition.ts';
import { record, records, text } from './json.ts';
import { CONDITION } from './names.ts';

/** The fields of a Node that this operator reads. */
export interface Node extends KubeObject {
  readonly metadata: KubeMetadata;
  /** `spec.providerID`: set once, by the cloud's controller, some time after the Node appears. */
  readonly providerId?: string | undefined;
  /** The condition Ready: absent until the kubelet first reports. Unknown means that it stopped reporting. */
  readonly ready?: NodeReadiness | undefined;
  /** `spec.unschedulable`: cordoned. */
  readonly unschedulable?: boolean | undefined;
  readonly taints?: readonly Taint[] | undefined;
  /** Those of `status.addresses` with the type ExternalIP: set by the cloud's controller, some time after the cloud has them. */
  readonly externalIps?: readonly string[] | undefined;
}

/** The condition Ready of a node; the time is when its status last changed, RFC 3339. */
export type NodeReadiness = Pick<Condition, 'status' | 'lastTransitionTime'>;

export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  readonly effect: string;
}

/** Core `nodes`, v1. */
export const NODES: Resource<Node> = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  parse: parseNode,
};

function parseNode(raw: unknown): Node {
  const object = record(raw) ?? {};
  const spec = record(object['spec']) ?? {};
  const status = record(object['status']) ?? {};
  return {
    metadata: parseMetadata(raw),
    providerId: text(spec['providerID']),
    ready: readiness(parseConditions(status['conditions'])),
    unschedulable: spec['unschedulable'] === true,
    taints: records(spec['taints']).flatMap((taint) => {
      const key = text(taint['key']);
      return key === undefined ? [] : [{ key, value: text(taint['value']), effect: text(taint['effect']) ?? '' }];
    }),
    externalIps: records(status['addresses']).flatMap(({ type, address }) =>
      type === 'ExternalIP' ? (text(address) ?? []) : [],
    ),
  };
}

function readiness(conditions: readonly Condition[]): NodeReadiness | undefined {
  const ready = conditions.find(({ type }) => type === CONDITION.nodeReady);
  return ready && { status: ready.status, lastTransitionTime: ready.lastTransitionTime };
}
