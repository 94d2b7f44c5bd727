import { setTimeout as wait } from 'node:timers/promises';
import { startOperatorProcess } from '@static-ip/testkit';
import type { Deployment, EipWorld, OperatorProcess } from '@static-ip/testkit';

/** What the cluster's controllers and kubelets would do about Deployments. */
export interface DeploymentRunner {
  /** Stops playing, and kills what runs. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 100;
const TOKEN_SECONDS = 3_600;

/**
 * Keeps one pod for each Deployment that wants any, and none for those that do not. In the pods of the Deployment `ours`
 * runs the built operator, with the arguments, the environment and the service account that the Deployment gives it; that of
 * all others is scenery.
 */
export function runDeployments(world: EipWorld, ours: string): DeploymentRunner {
  const ending = new AbortController();
  const processes = new Map<string, OperatorProcess>();

  const begin = async (deployment: Deployment): Promise<void> => {
    const { name, namespace = '' } = deployment.metadata;
    const { template } = deployment.spec;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...labelsOf(template), name: `${name}-0`, namespace } };
    await world.cluster.api.create({ ...pod, spec: template.spec });
    if (name !== ours) return;
    processes.set(name, await startAsIn(world, deployment));
  };
  const end = async (pod: { readonly name: string; readonly namespace: string }): Promise<void> => {
    const name = pod.name.replace(/-0$/, '');
    await processes.get(name)?.stop();
    processes.delete(name);
    await world.deletePod(pod.name, pod.namespace);
  };
  const look = async (): Promise<void> => {
    const deployments = await world.cluster.api.list<Deployment>('/apis/apps/v1/deployments');
    for (const deployment of deployments) {
      const { name, namespace = '' } = deployment.metadata;
      const isThere = (await world.pod(`${name}-0`, namespace)) !== undefined;
      if (deployment.spec.replicas > 0 && !isThere) await begin(deployment);
      if (deployment.spec.replicas === 0 && isThere) await end({ name: `${name}-0`, namespace });
    }
  };
  const looking = (async () => {
    while (!ending.signal.aborted) {
      await look();
      await wait(LOOK_EVERY_MS);
    }
  })();
  return {
    async stop() {
      ending.abort();
      await looking;
      await Promise.all([...processes.values()].map((operator) => operator.kill()));
    },
  };
}

/** Other than in a pod, the cluster is not found by the files of one, and ports are shared: they stay closed. */
async function startAsIn(world: EipWorld, { metadata, spec }: Deployment): Promise<OperatorProcess> {
  const { namespace = '' } = metadata;
  const { serviceAccountName: name, containers } = spec.template.spec;
  const token = await world.cluster.createServiceAccountToken({ namespace, name, expirationSeconds: TOKEN_SECONDS });
  const [container] = containers;
  const [command, ...flags] = container.args;
  if (command !== 'run') throw new Error(`the container runs ${String(command)}`);
  const variables = (container.env ?? []).map(({ name: variable, value }) => [variable, value]);
  return startOperatorProcess({
    kubeconfig: world.cluster.writeKubeconfig({ token }),
    endpoint: world.ec2.endpoint(),
    args: [...flags, '--metrics-bind-address=0', '--health-bind-address=0'],
    environment: { AWS_REGION: undefined, ...Object.fromEntries(variables) },
  });
}

function labelsOf(template: object): object {
  const { metadata } = template as { readonly metadata?: object };
  return { ...metadata };
}
