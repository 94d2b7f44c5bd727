import type { DirectoryResult } from '@static-ip/cni-config';
import type { CiliumNode } from '../api/cilium-node.ts';
import type { AgentPod } from '../no-masquerade/agent-pod.ts';
import type { Masquerade, Plan } from '../no-masquerade/plan.ts';
import type { CiliumConfig } from '../publish/cilium-publishes.ts';
import type { PublishPlan } from '../publish/plan-publish.ts';

/** The way that a packet to the internet takes, as the kernel says. */
export interface Route {
  readonly device: string;
  readonly gateway: string | undefined;
  readonly table: string | undefined;
  /** For the node's own packets: the address it sends from. */
  readonly source: string | undefined;
}

/** Something that was asked for, or why there is no answer. */
export type Asked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** A pod of this node. */
export interface DoctorPod extends AgentPod {
  /** The public address it was given, from the annotation for ExternalDNS. */
  readonly publicIp: string | undefined;
}

/** What the API server knows of this node. */
export interface ClusterFacts {
  readonly ciliumNode: CiliumNode | undefined;
  readonly ciliumConfig: CiliumConfig;
  readonly pods: readonly DoctorPod[];
}

/** What the kernel of this node does. */
export interface KernelFacts {
  readonly plan: Pick<Plan, 'state' | 'steps' | 'pods'>;
  readonly nodeRoute: Asked<Route>;
  /** By the pod's address, for the pods that are asked about. */
  readonly podRoutes: ReadonlyMap<string, Asked<Route>>;
}

/** All that `doctor` looks at. */
export interface DoctorFacts {
  readonly nodeName: string;
  readonly cniConfDir: string;
  readonly read: DirectoryResult;
  readonly cluster: Asked<ClusterFacts>;
  readonly publish: PublishPlan | undefined;
  readonly masquerade: Masquerade;
  /** Whether any network is known that is reached without translation. */
  readonly knowsInside: boolean;
  readonly kernel: Asked<KernelFacts>;
  /** `name` or `namespace/name`; undefined: the node alone. */
  readonly podName: string | undefined;
}
