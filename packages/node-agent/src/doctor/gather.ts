import { loadNetworkConfigDirectory } from '@static-ip/cni-config';
import { parseMetadata } from '@static-ip/kube';
import type { Clock, KubeClient, KubeObject, Resource } from '@static-ip/kube';
import { CILIUM_NODES } from '../api/cilium-node.ts';
import { readCiliumConfig } from '../app/connect.ts';
import type { AgentOptions } from '../app/options.ts';
import { addressHolders, AGENT_PODS } from '../no-masquerade/agent-pod.ts';
import { readCiliumSettings } from '../no-masquerade/cilium-config.ts';
import { planNoMasquerade } from '../no-masquerade/plan.ts';
import type { Surroundings } from '../no-masquerade/plan.ts';
import type { KernelPort } from '../no-masquerade/synchronise.ts';
import { planPublish } from '../publish/plan-publish.ts';
import { fileTagsOf } from '../publish/read-file-tags.ts';
import type { RouteQuery } from './ask-route.ts';
import { findPods } from './explain.ts';
import type { Asked, ClusterFacts, DoctorFacts, DoctorPod, KernelFacts } from './facts.ts';

export interface DoctorDeps {
  readonly options: AgentOptions;
  readonly kube: Pick<KubeClient, 'list' | 'get'>;
  readonly kernel: Pick<KernelPort, 'read'>;
  readonly routes: RouteQuery;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The annotation that ExternalDNS reads, where the operator writes a pod's public address. */
const PUBLIC_IP_ANNOTATION = 'external-dns.alpha.kubernetes.io/target';

const DOCTOR_PODS: Resource<DoctorPod> = {
  ...AGENT_PODS,
  parse: (raw) => ({ ...AGENT_PODS.parse(raw), publicIp: parseMetadata(raw).annotations[PUBLIC_IP_ANNOTATION] }),
};

/** Looks at everything that the diagnosis is made of; changes nothing. What cannot be seen is part of the answer. */
export async function gather(deps: DoctorDeps, podName: string | undefined, signal: AbortSignal): Promise<DoctorFacts> {
  const { options } = deps;
  const { nodeName, cniConfDir } = options;
  const read = await loadNetworkConfigDirectory(cniConfDir, { signal });
  const cluster = await answerOf(() => readCluster(deps, signal), signal);
  const { ciliumNode, ciliumConfig, pods } = cluster.ok ? cluster.value : NOTHING;
  const { masquerade, nativeRouting } = readCiliumSettings(ciliumConfig ?? {});
  const surroundings: Surroundings = {
    masquerade,
    inside: [...options.vpcCidrs, ...nativeRouting],
    enis: ciliumNode?.enis ?? [],
  };
  const asked = podName === undefined ? [] : findPods(pods, podName);
  return {
    nodeName,
    cniConfDir,
    read,
    cluster,
    publish: cluster.ok ? publishPlan(deps, read, cluster.value) : undefined,
    masquerade,
    knowsInside: surroundings.inside.length > 0,
    kernel: await answerOf(() => readKernelFacts(deps, { surroundings, pods, asked }, signal), signal),
    podName,
  };
}

const NOTHING: ClusterFacts = { ciliumNode: undefined, ciliumConfig: undefined, pods: [] };

async function answerOf<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<Asked<T>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

async function readCluster({ kube, options }: DoctorDeps, signal: AbortSignal): Promise<ClusterFacts> {
  const { nodeName, ciliumNamespace } = options;
  const only = async <T extends KubeObject>(resource: Resource<T>, fieldSelector: string): Promise<readonly T[]> =>
    (await kube.list(resource, { fieldSelector, limit: 500 }, signal)).items;
  const [ciliumNode] = await only(CILIUM_NODES, `metadata.name=${nodeName}`);
  return {
    ciliumNode,
    ciliumConfig: await readCiliumConfig(kube, ciliumNamespace, signal),
    pods: await only(DOCTOR_PODS, `spec.nodeName=${nodeName}`),
  };
}

function publishPlan(
  { options, clock }: DoctorDeps,
  read: DoctorFacts['read'],
  cluster: ClusterFacts,
): DoctorFacts['publish'] {
  const file = fileTagsOf(read);
  return planPublish({
    mode: options.publishTags,
    graceMs: options.removedTagsGraceMs,
    flag: options.flagTags,
    file,
    lastCertain: file.kind === 'certain' ? file : undefined,
    node: cluster.ciliumNode,
    ciliumConfig: cluster.ciliumConfig,
    history: undefined,
    nowMs: clock.monotonic(),
  });
}

interface KernelQuestion {
  readonly surroundings: Surroundings;
  readonly pods: readonly DoctorPod[];
  readonly asked: readonly DoctorPod[];
}

async function readKernelFacts(
  { kernel, routes, options }: DoctorDeps,
  { surroundings, pods, asked }: KernelQuestion,
  signal: AbortSignal,
): Promise<KernelFacts> {
  const state = await kernel.read({ withPeerMarks: false }, signal);
  const holders = addressHolders(pods, options.nodeName);
  const plan = planNoMasquerade({ ...surroundings, kernel: state, pods: holders, nodeWide: false });
  const podRoutes = new Map<string, KernelFacts['nodeRoute']>();
  for (const { ipv4 } of asked) if (ipv4 !== undefined) podRoutes.set(ipv4, await routes.ofPod(ipv4, signal));
  return { plan, nodeRoute: await routes.ofNode(signal), podRoutes };
}
