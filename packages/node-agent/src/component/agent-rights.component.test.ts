import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError, createApiClient, eventually } from '@static-ip/testkit';
import type { ApiClient } from '@static-ip/testkit';
import { addNode, startAgentWorld } from './agent-world.test.fixture.ts';
import type { AgentWorld } from './agent-world.test.fixture.ts';

const CONDITION = 'eip.materialize.cloud/egress-verified';
const CILIUM_NODES = '/apis/cilium.io/v2/ciliumnodes';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const PODS = '/api/v1/namespaces/default/pods';

let world: AgentWorld;
/** With the token of the agent's pod on n1. */
let agent: ApiClient;

beforeAll(async () => {
  world = await startAgentWorld();
  for (const name of ['n1', 'n2']) {
    await addNode(world, name, { tags: { pool: 'a' } });
    await world.cluster.api.create(userPod(`pod-${name}`, name));
    await world.cluster.api.patchStatus(`${PODS}/pod-${name}`, {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  }
  await world.cluster.api.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cilium-config', namespace: 'kube-system' },
  });
  await world.cluster.api.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'other', namespace: 'kube-system' },
  });
  agent = await world.agentOn('n1');
  // The server takes up the policies a moment after they were made.
  await eventually(async () => (await verdictOf(writeTags(agent, 'n2'))) === 'not of its node', { timeoutMs: 20_000 });
}, 120_000);
afterAll(async () => {
  await agent.close();
  await world.stop();
});

function userPod(name: string, nodeName: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName, containers: [{ name: 'main', image: 'none' }] },
  };
}

/** Who refused: RBAC, or one of the policies by what it says. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/its own (node|Node) |of its own node only/, 'not of its node'],
  [/and nothing else|may not change the metadata/, 'not its field'],
  [/cannot \w+ resource/, 'no right'],
];

async function verdictOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 422].includes(error.status)) throw error;
    return REFUSALS.find(([words]) => words.test(error.message))?.[1] ?? error.message;
  }
}

let values = 0;

function writeTags(by: ApiClient, name: string): Promise<unknown> {
  return by.patch(`${CILIUM_NODES}/${name}`, { spec: { ipam: { 'static-ip-tags': { pool: `p${values++}` } } } });
}

function patchNode(patch: object): () => Promise<unknown> {
  return () => agent.patch(`${CILIUM_NODES}/n1`, patch);
}

function condition(type: string) {
  return { conditions: [{ type, status: 'True', reason: 'Seen' }] };
}

function patchPod(name: string, patch: object, subresource?: string): () => Promise<unknown> {
  return () =>
    agent.patch(`${PODS}/${name}`, patch, { type: 'strategic', ...(subresource !== undefined && { subresource }) });
}

function event(name: string, parts: object = {}): () => Promise<unknown> {
  return () =>
    agent.send({
      method: 'POST',
      path: EVENTS,
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name, namespace: 'default' },
        regarding: { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'n1' },
        reportingController: 'static-ip/node-agent',
        reportingInstance: 'n1',
        type: 'Normal',
        reason: 'TagsPublished',
        action: 'PublishTags',
        note: 'a note',
        eventTime: '2026-01-01T00:00:00.000000Z',
        ...parts,
      },
    });
}

const get = (path: string) => () => agent.get(path);

/** Every verb that matters, and who stops it. */
const TABLE: readonly (readonly [string, () => Promise<unknown>, string])[] = [
  ['read CiliumNodes', get(CILIUM_NODES), 'allowed'],
  ['read pods', get('/api/v1/pods?fieldSelector=spec.nodeName%3Dn1'), 'allowed'],
  ["read Cilium's settings", get('/api/v1/namespaces/kube-system/configmaps/cilium-config'), 'allowed'],
  ['read another ConfigMap', get('/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt'), 'no right'],
  ['read a Secret', get('/api/v1/namespaces/kube-system/secrets/other'), 'no right'],
  ['read Nodes', get('/api/v1/nodes'), 'no right'],

  ['write the tags of its own CiliumNode', () => writeTags(agent, 'n1'), 'allowed'],
  ['take the tags of its own CiliumNode away', patchNode({ spec: { ipam: { 'static-ip-tags': null } } }), 'allowed'],
  ['write the tags of another CiliumNode', () => writeTags(agent, 'n2'), 'not of its node'],
  ['change another key of ipam', patchNode({ spec: { ipam: { 'min-allocate': 9 } } }), 'not its field'],
  ['take a key of ipam away', patchNode({ spec: { ipam: { podCIDRs: null } } }), 'not its field'],
  ['take ipam away', patchNode({ spec: { ipam: null } }), 'not its field'],
  ['change another part of the spec', patchNode({ spec: { 'instance-id': 'i-stolen' } }), 'not its field'],
  ['add a part to the spec', patchNode({ spec: { eni: { 'vpc-id': 'vpc-1' } } }), 'not its field'],
  ['change a label of a CiliumNode', patchNode({ metadata: { labels: { zone: 'b' } } }), 'not its field'],
  ['add an annotation to a CiliumNode', patchNode({ metadata: { annotations: { a: 'b' } } }), 'not its field'],
  ['add a finalizer to a CiliumNode', patchNode({ metadata: { finalizers: ['a.b/c'] } }), 'not its field'],
  ['change the owner of a CiliumNode', patchNode({ metadata: { ownerReferences: [] } }), 'not its field'],
  ['write the status of a CiliumNode', () => agent.patchStatus(`${CILIUM_NODES}/n1`, { ipam: {} }), 'no right'],
  ['delete a CiliumNode', () => agent.delete(`${CILIUM_NODES}/n1`), 'no right'],
  [
    'create a CiliumNode by apply',
    () =>
      agent.patch(
        `${CILIUM_NODES}/n1-new`,
        { apiVersion: 'cilium.io/v2', kind: 'CiliumNode', metadata: { name: 'n1-new' }, spec: {} },
        { type: 'apply' },
      ),
    'no right',
  ],

  [
    'say whether a pod of its node leaves with its address',
    patchPod('pod-n1', { status: condition(CONDITION) }, 'status'),
    'allowed',
  ],
  [
    'say so of a pod of another node',
    patchPod('pod-n2', { status: condition(CONDITION) }, 'status'),
    'not of its node',
  ],
  ['write another condition', patchPod('pod-n1', { status: condition('Ready') }, 'status'), 'not its field'],
  ['change the phase of a pod', patchPod('pod-n1', { status: { phase: 'Failed' } }, 'status'), 'not its field'],
  [
    'change the address of a pod',
    patchPod('pod-n1', { status: { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] } }, 'status'),
    'not its field',
  ],
  ['label a pod by its status', patchPod('pod-n1', { metadata: { labels: { a: 'b' } } }, 'status'), 'not its field'],
  ['change a pod itself', patchPod('pod-n1', { metadata: { labels: { a: 'b' } } }), 'no right'],
  ['delete a pod', () => agent.delete(`${PODS}/pod-n1`), 'no right'],
  ['create a pod', () => agent.create(userPod('more', 'n1')), 'no right'],

  ['tell an Event of its own Node', event('own'), 'allowed'],
  [
    'tell an Event of another Node',
    event('other', { regarding: { apiVersion: 'v1', kind: 'Node', name: 'n2' } }),
    'not of its node',
  ],
  [
    'tell an Event of something else',
    event('secret', { regarding: { apiVersion: 'v1', kind: 'Secret', name: 'n1', namespace: 'default' } }),
    'not of its node',
  ],
  ["speak with another's name", event('kubelet', { reportingController: 'kubelet' }), 'not of its node'],
  [
    'make a token',
    () =>
      agent.send({ method: 'POST', path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token', body: {} }),
    'no right',
  ],
  ['read its own policy', get('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'), 'no right'],
];

describe('B60: the token of an agent', () => {
  it.each(TABLE)('may it %s?', async (_what, request, verdict) => {
    expect(await verdictOf(request())).toBe(verdict);
  });

  it('takes over no Event of another, which it could otherwise rewrite', async () => {
    const path = `${EVENTS}/foreign`;
    await world.cluster.api.send({
      method: 'POST',
      path: EVENTS,
      body: {
        metadata: { name: 'foreign', namespace: 'default' },
        regarding: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
        reportingController: 'kubelet',
        reportingInstance: 'n1',
        type: 'Normal',
        reason: 'Rebooted',
        action: 'Reboot',
        eventTime: '2026-01-01T00:00:00.000000Z',
      },
    });
    expect(await verdictOf(agent.patch(path, { metadata: { annotations: { seen: 'yes' } } }))).toBe('not of its node');
  });

  it('may write nothing when it is bound to no pod', async () => {
    const unbound = createApiClient({
      url: world.cluster.url,
      caFile: world.cluster.caFile,
      token: await world.cluster.createServiceAccountToken(world.serviceAccount),
    });
    expect(await verdictOf(writeTags(unbound, 'n1'))).toBe('not of its node');
    await unbound.close();
  });

  it('is judged by the node in it, as impersonation shows; others are not judged at all', async () => {
    const { namespace, name } = world.serviceAccount;
    const user = `system:serviceaccount:${namespace}:${name}`;
    const { url, caFile, adminToken: token } = world.cluster;
    const verdicts: string[] = [];
    for (const nodeName of ['n1', 'n2', undefined]) {
      const extra = nodeName && { 'impersonate-extra-authentication.kubernetes.io%2fnode-name': nodeName };
      const as = createApiClient({ url, caFile, token, headers: { 'impersonate-user': user, ...extra } });
      verdicts.push(await verdictOf(writeTags(as, 'n2')));
      await as.close();
    }
    expect(verdicts).toEqual(['not of its node', 'allowed', 'not of its node']);
    expect(
      await verdictOf(world.cluster.api.patch(`${CILIUM_NODES}/n2`, { spec: { ipam: { 'min-allocate': 4 } } })),
    ).toBe('allowed');
  });
});
