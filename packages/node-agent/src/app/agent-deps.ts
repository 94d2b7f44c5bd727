import type { Clock, EventRecorder, Informer, KubeClient, Random } from '@static-ip/kube';
import type { Health, Logger } from '@static-ip/shell';
import type { CiliumNode } from '../api/cilium-node.ts';
import type { AgentMetrics } from '../telemetry/metrics.ts';
import type { AgentOptions } from './options.ts';

/** What the jobs share. */
export interface AgentDeps {
  readonly options: AgentOptions;
  readonly logger: Logger;
  readonly metrics: AgentMetrics;
  readonly health: Health;
  readonly kube: KubeClient;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Of our own CiliumNode alone. */
  readonly ciliumNodes: Informer<CiliumNode>;
  readonly clock: Clock;
  readonly random: Random;
}
