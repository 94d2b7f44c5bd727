import { KUBE_METRICS, PROCESS_METRICS } from '@static-ip/shell';
import type { MetricDefinition } from '@static-ip/shell';

/** All metrics of the agent: the registry and the reference page are made from this. */
export const METRICS = {
  buildInfo: {
    name: 'static_ip_agent_build_info',
    type: 'gauge',
    help: 'Always 1; the labels say what is running',
    labels: ['version', 'node'],
  },
  state: {
    name: 'static_ip_agent_state',
    type: 'gauge',
    help: '1 for the state that a job is in, by its reason; what the words mean is in docs/operations.md',
    labels: ['job', 'reason'],
  },
  findings: {
    name: 'static_ip_agent_cni_findings',
    type: 'gauge',
    help: 'Findings about the CNI configuration of this node, by severity and code',
    labels: ['severity', 'code'],
  },
  writes: {
    name: 'static_ip_agent_tag_writes_total',
    type: 'counter',
    help: 'Times that the tags of the CiliumNode were written',
    labels: [],
  },
  pods: {
    name: 'static_ip_agent_pods',
    type: 'gauge',
    help: 'Pods of this node that hold an address: kept (they leave with it) or waiting (their way is not known yet)',
    labels: ['state'],
  },
  passDuration: {
    name: 'static_ip_agent_pass_duration_seconds',
    type: 'histogram',
    help: "Time of one comparison of the kernel's rules with the wanted ones, changes included",
    labels: [],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  },
  failures: {
    name: 'static_ip_agent_failures_total',
    type: 'counter',
    help: 'Failed passes of a job, each tried again, by error code',
    labels: ['job', 'code'],
  },
  ...KUBE_METRICS,
  ...PROCESS_METRICS,
} as const satisfies Record<string, MetricDefinition>;
