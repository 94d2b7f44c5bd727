import type { KubeObject, ObjectMeta } from './kube-object.ts';

/** A CiliumNode with the fields that this project reads or writes. */
export interface CiliumNodeObject extends KubeObject {
  readonly spec: {
    readonly 'instance-id'?: string;
    readonly addresses?: readonly { readonly type: string; readonly ip: string }[];
    readonly eni?: Readonly<Record<string, unknown>>;
    readonly ipam: { readonly 'static-ip-tags'?: Readonly<Record<string, string>>; readonly [field: string]: unknown };
  };
  readonly status?: {
    readonly ipam?: { readonly 'assigned-static-ip'?: string; readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
}

export interface CiliumNodeOptions {
  /** Default `node-1`. */
  readonly name?: string;
  /** The EC2 instance id; default `i-0000000000000000a`. `undefined` leaves the field out. */
  readonly instanceId?: string | undefined;
  /** `spec.ipam.static-ip-tags`; left out by default, which asks for nothing. */
  readonly tags?: Readonly<Record<string, string>>;
  /** `status.ipam.assigned-static-ip`. The API server takes a status only through its subresource. */
  readonly assignedStaticIp?: string;
  readonly internalIp?: string;
  readonly eni?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly metadata?: Partial<ObjectMeta>;
}

const INSTANCE_ID = 'i-0000000000000000a';

/** A valid CiliumNode as Cilium's agent publishes it; a test sets only what it is about. */
export function ciliumNode(options: CiliumNodeOptions = {}): CiliumNodeObject {
  const { name = 'node-1', internalIp = '10.0.0.10', tags, eni, assignedStaticIp, status, metadata } = options;
  const instanceId = 'instanceId' in options ? options.instanceId : INSTANCE_ID;
  const ipam = assignedStaticIp === undefined ? {} : { ipam: { 'assigned-static-ip': assignedStaticIp } };
  const fullStatus = status === undefined && assignedStaticIp === undefined ? undefined : { ...status, ...ipam };
  return {
    apiVersion: 'cilium.io/v2',
    kind: 'CiliumNode',
    metadata: { name, ...metadata },
    spec: {
      ...present({ 'instance-id': instanceId, eni }),
      addresses: [{ type: 'InternalIP', ip: internalIp }],
      ipam: present({ 'static-ip-tags': tags }),
    },
    ...present({ status: fullStatus }),
  };
}

/** A Node with the fields that this project reads or writes. */
export interface NodeObject extends KubeObject {
  readonly spec: {
    readonly providerID?: string;
    readonly taints?: readonly { readonly key: string; readonly effect: string; readonly value?: string }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

export interface NodeOptions {
  /** Default `node-1`. */
  readonly name?: string;
  /** Default `i-0000000000000000a`; part of the default provider id. */
  readonly instanceId?: string;
  /** Default `us-east-1a`; part of the default provider id, and the zone label. */
  readonly zone?: string;
  /** Default `aws:///<zone>/<instanceId>`, as the AWS cloud provider writes it; `undefined` leaves the field out. */
  readonly providerID?: string | undefined;
  /** Default true. */
  readonly ready?: boolean;
  readonly internalIp?: string;
  readonly externalIp?: string;
  readonly taints?: NodeObject['spec']['taints'];
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: Partial<ObjectMeta>;
}

/** A valid, ready Node of an EC2 instance; its status needs `createWithStatus`. */
export function node(options: NodeOptions = {}): NodeObject {
  const { name = 'node-1', instanceId = INSTANCE_ID, zone = 'us-east-1a' } = options;
  const providerID = 'providerID' in options ? options.providerID : `aws:///${zone}/${instanceId}`;
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone, ...options.labels };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...options.metadata, labels: { ...labels, ...options.metadata?.labels } },
    spec: present({ providerID, taints: options.taints }),
    status: nodeStatus(options),
  };
}

function nodeStatus({
  ready = true,
  internalIp = '10.0.0.10',
  externalIp,
}: NodeOptions): NonNullable<NodeObject['status']> {
  const readiness = ready ? { status: 'True', reason: 'KubeletReady' } : { status: 'False', reason: 'KubeletNotReady' };
  const external = externalIp === undefined ? [] : [{ type: 'ExternalIP', address: externalIp }];
  return {
    conditions: [{ type: 'Ready', ...readiness }],
    addresses: [{ type: 'InternalIP', address: internalIp }, ...external],
  };
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value: Kubernetes tells an absent field from one that is null. */
function present<T extends object>(fields: T): Present<T> {
  const kept: Present<T> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) Object.assign(kept, { [name]: value });
  return kept;
}
