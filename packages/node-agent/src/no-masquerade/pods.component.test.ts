import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createInformer, createKubeClient, systemClock } from '@static-ip/kube';
import type { KubeClient } from '@static-ip/kube';
import { createSeededRandom, eventually, startCluster } from '@static-ip/testkit';
import type { Cluster } from '@static-ip/testkit';
import { AGENT_PODS } from './agent-pod.ts';
import { applyToModel } from './kernel-model.test.fixture.ts';
import type { KernelState } from './kernel-state.ts';
import { ALLOCATION_ANNOTATION } from './names.ts';
import { runNoMasquerade } from './run-no-masquerade.ts';

const SOON = { timeoutMs: 10_000 };
const IPS = ['10.0.1.1', '10.0.1.2', '10.0.1.3', '10.0.1.4'];

let cluster: Cluster;
let kube: KubeClient;
const stop = new AbortController();
let running: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  cluster = await startCluster();
  kube = createKubeClient({
    kubeconfig: cluster.kubeconfigPath,
    userAgent: 'test',
    fieldManager: 'test',
    clock: systemClock,
  });
}, 120_000);

afterAll(async () => {
  stop.abort();
  await running;
  await kube?.close();
  await cluster?.stop();
});

interface PodOptions {
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly ip: string;
  readonly holds?: boolean;
}

async function createPod(name: string, { nodeName = 'node-1', hostNetwork = false, ip, holds = true }: PodOptions) {
  await cluster.api.createWithStatus({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', annotations: holds ? { [ALLOCATION_ANNOTATION]: 'eipalloc-1' } : {} },
    spec: { nodeName, hostNetwork, serviceAccountName: 'default', containers: [{ name: 'a', image: 'none' }] },
    status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] },
  });
}

const pod = (name: string) => `/api/v1/namespaces/default/pods/${name}`;

it('B64: follows the annotations, ends and addresses of this node’s pods on the real server', async () => {
  await cluster.api.create({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'default' },
  });
  await createPod('web', { ip: '10.0.1.1' });
  await createPod('late', { ip: '10.0.1.2', holds: false });
  await createPod('elsewhere', { ip: '10.0.1.3', nodeName: 'node-2' });
  await createPod('host', { ip: '10.0.1.4', hostNetwork: true });
  const informer = createInformer({
    client: kube,
    resource: AGENT_PODS,
    fieldSelector: 'spec.nodeName=node-1',
    clock: systemClock,
    random: createSeededRandom(1),
  });
  let state: KernelState = {
    rules: IPS.map((ip) => ({ priority: 111, from: `${ip}/32`, to: '10.0.0.0/16', table: 11, protocol: 2 })),
    defaultRoutes: [
      { table: 254, interfaceIndex: 2, metric: 0 },
      { table: 11, interfaceIndex: 3, metric: 0 },
    ],
    links: [],
    addresses: [],
    table: undefined,
    peerMarks: [],
  };
  const job = runNoMasquerade(
    {
      nodeName: 'node-1',
      nodeWide: false,
      pods: {
        list: () => informer.store.list(),
        whenSynced: (signal) => informer.whenSynced(signal),
        subscribe: (onChange) => informer.subscribe(onChange),
      },
      kernel: {
        read: async () => state,
        apply: async (step) => {
          state = applyToModel(state, step);
        },
      },
      watchKernel: async (_onChange, signal) => {
        await systemClock.sleep(Number.MAX_SAFE_INTEGER, signal).catch(() => undefined); // stopped
      },
      readSurroundings: async () => ({
        masquerade: 'iptables',
        inside: [{ address: '10.0.0.0', bits: 16 }],
        enis: [],
      }),
      clock: systemClock,
      random: createSeededRandom(2),
    },
    stop.signal,
  );
  running = Promise.all([informer.run(stop.signal), job]);
  const keeps = (...ips: readonly string[]) =>
    eventually(() => expect([...(state.table?.pods ?? [])].toSorted()).toEqual(ips), SOON);

  await keeps('10.0.1.1');
  // The watch is limited to this node: others cost neither memory nor wake-ups.
  expect(
    informer.store
      .list()
      .map(({ metadata }) => metadata.name)
      .toSorted(),
  ).toEqual(['host', 'late', 'web']);
  await cluster.api.patch(pod('late'), { metadata: { annotations: { [ALLOCATION_ANNOTATION]: 'eipalloc-2' } } });
  await keeps('10.0.1.1', '10.0.1.2');
  await cluster.api.patch(pod('late'), { metadata: { annotations: { [ALLOCATION_ANNOTATION]: null } } });
  await keeps('10.0.1.1');
  await cluster.api.patchStatus(pod('web'), { phase: 'Succeeded' });
  await keeps();
  // Its address goes to a pod that holds none, while the finished one with its annotation is still there.
  await createPod('heir', { ip: '10.0.1.1', holds: false });
  await createPod('new', { ip: '10.0.1.3' });
  await keeps('10.0.1.3');
  expect(state.rules.filter(({ protocol }) => protocol === 201).map(({ from }) => from)).toEqual([
    '10.0.1.3/32',
    '10.0.1.3/32',
  ]);
}, 60_000);
