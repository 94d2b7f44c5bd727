import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKubeClient, systemClock, systemRandom } from '@static-ip/kube';
import { eventually } from '@static-ip/testkit';
import type { KubeObject } from '@static-ip/testkit';
import { createVerdicts } from '../verdict/run-verdicts.ts';
import { VERDICT_PODS } from '../verdict/verdict-pod.ts';
import { addNode, startAgentWorld } from './agent-world.test.fixture.ts';
import type { AgentWorld } from './agent-world.test.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const TYPE = 'eip.materialize.cloud/egress-verified';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

let world: AgentWorld;
beforeAll(async () => {
  world = await startAgentWorld();
  await addNode(world, 'n1');
  await world.cluster.api.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'default',
      annotations: { 'eip.materialize.cloud/allocation_id': 'eipalloc-1' },
    },
    spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'none' }] },
  } as KubeObject);
  const ready = [{ type: 'Ready', status: 'True' }];
  await world.cluster.api.patchStatus(`${PODS}/web`, {
    phase: 'Running',
    podIP: '10.0.1.5',
    podIPs: [{ ip: '10.0.1.5' }],
    conditions: ready,
  });
}, 120_000);
afterAll(() => world.stop());

async function conditions(): Promise<readonly Condition[]> {
  const pod = await world.cluster.api.get<
    KubeObject & { readonly status: { readonly conditions: readonly Condition[] } }
  >(`${PODS}/web`);
  return pod.status.conditions;
}

it('the verdict on a pod is written and taken away with the rights of the chart, beside the conditions of others', async () => {
  const kubeconfig = world.cluster.writeKubeconfig({ token: await world.tokenOn('n1') });
  const kube = createKubeClient({ kubeconfig, userAgent: 'test', fieldManager: 'static-ip', clock: systemClock });
  const stop = new AbortController();
  const { signal } = stop;
  const ref = { namespace: 'default', name: 'web' };
  let pod = await kube.get(VERDICT_PODS, ref, signal).catch(() => undefined);
  // The account may list pods, and read none by name.
  expect(pod).toBeUndefined();
  const read = async () =>
    (await kube.list(VERDICT_PODS, { fieldSelector: 'spec.nodeName=n1', limit: 10 }, signal)).items.find(
      ({ metadata }) => metadata.name === 'web',
    );
  const verdicts = createVerdicts({
    pods: { list: () => (pod === undefined ? [] : [pod]), get: () => pod },
    patchStatus: (one, body, stopped) =>
      kube.patch(VERDICT_PODS, one.metadata, { type: 'strategic', subresource: 'status', body }, stopped),
    clock: systemClock,
    random: systemRandom,
  });
  const ended = verdicts.run(signal);
  const plan = { state: 'active', pods: [{ ip: '10.0.1.5', path: { kind: 'own' }, kept: true }] } as const;

  pod = await read();
  verdicts.passed(plan);
  await eventually(async () => expect(await conditions()).toHaveLength(2), { timeoutMs: 5_000 });
  expect(await conditions()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'Ready', status: 'True' }),
      expect.objectContaining({ type: TYPE, status: 'True', reason: 'SourceKept' }),
    ]),
  );

  await world.cluster.api.patch(`${PODS}/web`, {
    metadata: { annotations: { 'eip.materialize.cloud/allocation_id': null } },
  });
  pod = await read();
  verdicts.passed({ state: 'idle', pods: [] });
  await eventually(async () => expect((await conditions()).map(({ type }) => type)).toEqual(['Ready']), {
    timeoutMs: 5_000,
  });
  stop.abort(new Error('stopped by the test'));
  await ended;
  await kube.close();
});
