import { createInformer, createKubeClient, isKubeError, systemClock, systemRandom } from '@static-ip/kube';
import type { KubeClient } from '@static-ip/kube';
import { AgentError } from '../errors.ts';
import { AGENT_PODS } from './agent-pod.ts';
import { parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import { CONFIG_MAPS, readCiliumSettings } from './cilium-config.ts';
import { cleanUp } from './clean-up.ts';
import { createNodeKernel } from './node-kernel.ts';
import type { Plan, Surroundings } from './plan.ts';
import { runNoMasquerade } from './run-no-masquerade.ts';
import { isRaw } from './shape.ts';
import { watchKernel } from './watch-kernel.ts';

export interface AgentRun {
  readonly job: 'no-masquerade' | 'cleanup';
  /** As the command line gave them. */
  readonly options: unknown;
  readonly say: (line: object) => void;
}

interface Options {
  readonly nodeName: string;
  readonly vpcCidrs: readonly Cidr[];
  readonly ciliumNamespace: string;
  readonly kubeconfig: string | undefined;
  readonly nodeWide: boolean;
  readonly resetTcp: boolean;
}

/** Runs one job with the real kernel and API server. @throws AgentError `config` naming the option. */
export async function runAgent({ job, options: raw, say }: AgentRun, signal: AbortSignal): Promise<void> {
  const options = readOptions(raw, job);
  const kernel = createNodeKernel({ resetTcp: options.resetTcp });
  if (job === 'cleanup') {
    const surroundings = { masquerade: 'off', inside: options.vpcCidrs, enis: [] } as const;
    say({ message: 'Cleaned up', ...summary(await cleanUp(kernel, surroundings, signal)) });
    return;
  }
  const client = createKubeClient({
    kubeconfig: options.kubeconfig,
    userAgent: 'static-ip-agent',
    fieldManager: 'static-ip',
    clock: systemClock,
  });
  const informer = createInformer({
    client,
    resource: AGENT_PODS,
    fieldSelector: `spec.nodeName=${options.nodeName}`,
    clock: systemClock,
    random: systemRandom,
    hooks: { onError: (error, { phase }) => say({ message: 'Cannot follow the pods', phase, error: String(error) }) },
  });
  const work = runNoMasquerade(
    {
      nodeName: options.nodeName,
      nodeWide: options.nodeWide,
      pods: {
        list: () => informer.store.list(),
        whenSynced: (stop) => informer.whenSynced(stop),
        subscribe: (onChange) => informer.subscribe(onChange),
      },
      kernel,
      watchKernel: (onChange, stop) => watchKernel({ clock: systemClock, onChange }, stop),
      readSurroundings: (stop) => readSurroundings(client, options, stop),
      clock: systemClock,
      random: systemRandom,
      hooks: {
        onState: (plan) => say({ message: 'State changed', ...summary(plan) }),
        onError: (error, { nextInMs }) =>
          say({ message: 'Cannot set the rules, trying again', error: String(error), nextInMs }),
      },
    },
    signal,
  );
  await Promise.all([informer.run(signal), work]);
  await client.close();
}

async function readSurroundings(
  client: Pick<KubeClient, 'get'>,
  { ciliumNamespace, vpcCidrs }: Options,
  signal: AbortSignal,
): Promise<Surroundings> {
  const { masquerade, nativeRouting } = readCiliumSettings(await readConfig(client, ciliumNamespace, signal));
  return { masquerade, inside: [...vpcCidrs, ...nativeRouting], enis: [] };
}

/** Without the right to read it, or without Cilium, its defaults are assumed. */
async function readConfig(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  try {
    return (await client.get(CONFIG_MAPS, { namespace, name: 'cilium-config' }, signal)).data;
  } catch (error) {
    if (isKubeError(error, 'notFound') || isKubeError(error, 'forbidden')) return {};
    throw error;
  }
}

function summary({ state, pods, waiting, steps }: Plan): object {
  return { state, pods: pods.length, waiting: waiting.length, steps: steps.length };
}

function readOptions(raw: unknown, job: AgentRun['job']): Options {
  const given = isRaw(raw) ? raw : {};
  const text = (name: string): string => (typeof given[name] === 'string' ? given[name] : '');
  if (job === 'no-masquerade' && text('nodeName') === '') {
    throw new AgentError('config', 'give --node-name (or NODE_NAME): the name of this node');
  }
  return {
    nodeName: text('nodeName'),
    vpcCidrs: parseCidrs(text('vpcCidr')),
    ciliumNamespace: text('ciliumNamespace'),
    kubeconfig: text('kubeconfig') === '' ? undefined : text('kubeconfig'),
    nodeWide: given['nodeWide'] === true,
    resetTcp: given['resetConnections'] === true,
  };
}

function parseCidrs(text: string): readonly Cidr[] {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const cidr = parseCidr(part);
    if (cidr !== undefined) return cidr;
    throw new AgentError('config', `--vpc-cidr (VPC_CIDR): ${part.trim()} is not an IPv4 network like 10.0.0.0/16`);
  });
}
