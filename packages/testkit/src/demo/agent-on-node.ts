import { existsSync } from 'node:fs';
import type { KubeObject } from '../cluster/kube-object.ts';
import { startServer } from '../cluster/server-process.ts';
import type { ServerProcess } from '../cluster/server-process.ts';
import { openHostPort } from '../netns/host-port.ts';
import type { Namespace } from '../netns/namespace.ts';
import { VPC } from '../netns/plan-of-lab.ts';
import { AGENT_BUNDLE } from '../world/agent-process.ts';
import type { Stage } from './stage.ts';

/** The node agent as its DaemonSet would run it, in the network namespace of a node. */
export interface AgentOnNode {
  /** Starts the job `no-masquerade` and waits until it did its work. @throws ServerStartError with its log */
  readonly start: (isDone: () => Promise<boolean>, signal: AbortSignal) => Promise<ServerProcess>;
  /** Runs `static-ip-agent cleanup`. Resolves to what it said. @throws Error with what it complained about */
  readonly cleanUp: () => Promise<string>;
  /** Ends the agent, if it still runs, and leaves the cluster. The rules stay. */
  readonly close: () => Promise<void>;
}

const READY_WITHIN_MS = 20_000;

/** @throws Error when the agent was not built, or the API server cannot be reached from the namespace */
export async function createAgentOnNode(stage: Stage, nodeName: string, namespace: Namespace): Promise<AgentOnNode> {
  if (!existsSync(AGENT_BUNDLE)) throw new Error(`there is no agent at ${AGENT_BUNDLE}: run \`npm run build\` first`);
  const { cluster } = stage;
  const pod = await cluster.api.create(agentPod(stage, nodeName));
  const { name, uid = '' } = pod.metadata;
  // Bound to the pod, as the kubelet asks for it: the API server then knows which node's agent this is.
  const token = await cluster.createServiceAccountToken({ ...stage.agentAccount, pod: { name, uid } });
  const kubeconfig = cluster.writeKubeconfig({ token });
  const hostPort = { port: Number(new URL(cluster.url).port), directory: cluster.dataDir };
  const closePort = await openHostPort(namespace, hostPort);
  const [program = '', ...enter] = namespace.prefix;
  const vpc = `--vpc-cidr=${VPC}`;
  const servers = ['--health-bind-address=0', '--metrics-bind-address=0'];
  const started: ServerProcess[] = [];
  return {
    start: async (isDone, signal) => {
      const agent = await startServer(
        {
          name: 'static-ip-agent',
          program,
          args: [...enter, process.execPath, AGENT_BUNDLE, 'run', '--jobs=no-masquerade', vpc, ...servers],
          environment: { PATH: process.env['PATH'] ?? '', NODE_NAME: nodeName, KUBECONFIG: kubeconfig },
          directory: cluster.dataDir,
          isReady: isDone,
          readyWithinMs: READY_WITHIN_MS,
        },
        signal,
      );
      started.push(agent);
      return agent;
    },
    cleanUp: () => namespace.run([process.execPath, AGENT_BUNDLE, 'cleanup', vpc]),
    close: async () => {
      for (const agent of started) await agent.stop(5_000);
      closePort();
      await cluster.api.delete(`/api/v1/namespaces/${stage.agentAccount.namespace}/pods/${name}?gracePeriodSeconds=0`);
    },
  };
}

function agentPod({ agentAccount }: Stage, nodeName: string): KubeObject & { readonly spec: unknown } {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `node-agent-${nodeName}`, namespace: agentAccount.namespace },
    spec: { nodeName, serviceAccountName: agentAccount.name, containers: [{ name: 'node-agent', image: 'x' }] },
  };
}
