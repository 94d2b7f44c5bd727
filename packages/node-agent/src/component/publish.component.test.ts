import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@static-ip/testkit';
import type { CiliumNodeObject } from '@static-ip/testkit';
import { addNode, startAgentWorld, writeConfig } from './agent-world.test.fixture.ts';
import type { AgentWorld } from './agent-world.test.fixture.ts';

const A = { pool: 'a', kubernetes_cluster: '' };
const B = { pool: 'b' };
const CILIUM_CONFIG = '/api/v1/namespaces/kube-system/configmaps/cilium-config';

let world: AgentWorld;
beforeAll(async () => {
  world = await startAgentWorld();
  await world.cluster.api.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cilium-config', namespace: 'kube-system' },
  });
}, 120_000);
afterEach(() => world.reset());
afterAll(() => world.stop());

async function ciliumSays(data: Readonly<Record<string, string>>): Promise<void> {
  await world.cluster.api.patch(CILIUM_CONFIG, [{ op: 'add', path: '/data', value: data }], { type: 'json' });
}

/** Waits until the agent is in this state: without it, nothing written could as well mean nothing seen. */
async function untilState(agent: { readonly metricsUrl: string }, reason: string): Promise<void> {
  await eventually(
    async () => {
      const metrics = await (await fetch(agent.metricsUrl)).text();
      const state = /static_ip_agent_state\{job="publish",reason="(\w+)"\} 1/.exec(metrics)?.[1];
      if (state !== reason) throw new Error(`the state is ${String(state)}`);
    },
    { timeoutMs: 15_000 },
  );
}

async function untilEvent(nodeName: string, reason: string): Promise<string> {
  const event = await eventually(
    async () => (await world.events(nodeName)).find((one) => one.reason === reason) ?? false,
    { timeoutMs: 15_000 },
  );
  return event.note;
}

function nodeOf(name: string): Promise<CiliumNodeObject> {
  return world.cluster.api.get(`/apis/cilium.io/v2/ciliumnodes/${name}`);
}

const ENI_STATUS = { eni: { enis: { 'eni-0a': { id: 'eni-0a', number: 0 } } } };

/** Every IPAM mode of Cilium, as its settings and its CiliumNodes show it. */
const MODES: readonly (readonly [string, object])[] = [
  ['eni', { eni: { 'first-interface-index': 1 }, status: ENI_STATUS }],
  ['azure', { status: { azure: { interfaces: [{ id: 'interface' }] } } }],
  ['alibabacloud', {}],
  ['cluster-pool', {}],
  ['kubernetes', {}],
  ['multi-pool', {}],
  ['delegated-plugin', {}],
  ['crd', {}],
];

describe('the built agent, as the account of the chart, on a real API server', () => {
  it.each(MODES)('B01: publishes the same tags in mode %s, and touches no field of others', async (ipam, parts) => {
    await ciliumSays({ ipam });
    const before = await addNode(world, 'n1', parts);
    const directory = world.directory();
    await writeConfig(directory, A);
    const agent = await world.publish('n1', directory);
    await world.untilTags('n1', A);
    await untilState(agent, 'TagsPublished');
    const { spec, metadata, status } = await nodeOf('n1');
    expect({ ...spec.ipam, 'static-ip-tags': undefined }).toEqual({ ...before.spec.ipam, 'static-ip-tags': undefined });
    expect({ ...spec, ipam: undefined }).toEqual({ ...before.spec, ipam: undefined });
    expect(status).toEqual(before.status);
    expect(metadata).toMatchObject({ labels: before.metadata.labels ?? {}, generation: 2 });
  });

  it('B01: takes tags from the flag without a file; a file with tags wins over it', async () => {
    await addNode(world, 'n1');
    const directory = world.directory();
    await world.publish('n1', directory, ['--ipam-static-ip-tags', 'pool=b']);
    await world.untilTags('n1', B);
    await writeConfig(directory, A);
    await world.untilTags('n1', A);
  });

  it('B03: follows files that appear late, are replaced, rewritten in place, and renamed into their place', async () => {
    await addNode(world, 'n1');
    const directory = world.directory();
    await world.publish('n1', directory);
    await writeConfig(directory, A);
    await world.untilTags('n1', A);
    await writeConfig(directory, B);
    await world.untilTags('n1', B);
    await writeConfig(directory, A, '.new');
    await rename(path.join(directory, '.new'), path.join(directory, '05-cilium.conflist'));
    await world.untilTags('n1', A);
    await writeConfig(`${directory}-new`, { pool: 'c' });
    await rm(directory, { recursive: true });
    await rename(`${directory}-new`, directory);
    await world.untilTags('n1', { pool: 'c' });
  });

  it.each([
    ['a truncated file beside', '00-broken.conflist', '{"cniVersion": "0.3.1", "plugins": [', A],
    [
      'a file of another CNI beside',
      '10-other.conflist',
      '{"cniVersion":"0.3.1","name":"o","plugins":[{"type":"bridge"}]}',
      A,
    ],
    [
      'a file of another CNI before',
      '00-other.conflist',
      '{"cniVersion":"0.3.1","name":"o","plugins":[{"type":"bridge"}]}',
      A,
    ],
  ])('B03: reads Cilium’s own file: %s', async (_what, name, text, tags) => {
    await addNode(world, 'n1');
    const directory = world.directory();
    await mkdir(directory);
    await writeFile(path.join(directory, name), text);
    await writeConfig(directory, tags);
    await world.publish('n1', directory);
    await world.untilTags('n1', tags);
  });

  it.each([
    [
      'a plain .conf',
      '05-cilium.conf',
      '{"cniVersion":"0.3.1","name":"c","type":"cilium-cni","ipam":{"static-ip-tags":{"pool":"b"}}}',
      B,
    ],
    [
      'a byte order mark and CRLF',
      '05-cilium.conflist',
      '\uFEFF{"cniVersion":"0.3.1","name":"c",\r\n"plugins":[{"type":"cilium-cni","ipam":{"static-ip-tags":{"pool":"b"}}}]}',
      B,
    ],
    [
      'no cniVersion',
      '05-cilium.conflist',
      '{"name":"c","plugins":[{"type":"cilium-cni","ipam":{"static-ip-tags":{"pool":"b"}}}]}',
      B,
    ],
    [
      'only a file that Cilium has put aside',
      '05-cilium.conflist.cilium_bak',
      '{"name":"c","plugins":[{"type":"cilium-cni","ipam":{"static-ip-tags":{"pool":"b"}}}]}',
      undefined,
    ],
  ])('B03: reads what is there: %s', async (_what, name, text, tags) => {
    await addNode(world, 'n1');
    const directory = world.directory();
    await mkdir(directory);
    await writeFile(path.join(directory, name), text);
    const agent = await world.publish('n1', directory);
    if (tags === undefined) await untilState(agent, 'TagsNotRequested');
    await world.untilTags('n1', tags);
  });

  it('B03: keeps the tags while files are broken or gone, tells where, and takes them back when asked to', async () => {
    await addNode(world, 'n1');
    const directory = world.directory();
    await writeConfig(directory, A);
    const first = await world.publish('n1', directory);
    await world.untilTags('n1', A);

    const file = path.join(directory, '05-cilium.conflist');
    await writeFile(
      file,
      '{"cniVersion": "0.3.1",\n "plugins": [{"type": "cilium-cni", "ipam": {"static-ip-tags": ["a"]}}]}',
    );
    expect(await untilEvent('n1', 'CniConfigError')).toContain(`${file}:2:`);
    // Longer than the grace time, and over a restart.
    await first.stop();
    const second = await world.publish('n1', directory);
    await untilState(second, 'TagsKept');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await world.tags('n1')).toEqual(A);
    await rm(file);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await world.tags('n1')).toEqual(A);

    await writeConfig(directory, {});
    expect(await untilEvent('n1', 'TagsWithdrawn')).toContain('pool=a');
    expect(await world.tags('n1')).toEqual({});
  });

  it('B07: names the intended key of a misspelt one', async () => {
    await addNode(world, 'n1');
    const directory = world.directory();
    await mkdir(directory);
    const text =
      '{"cniVersion":"0.3.1","name":"c","plugins":[{"type":"cilium-cni","ipam":{"staticIpTags":{"pool":"a"}}}]}';
    await writeFile(path.join(directory, '05-cilium.conflist'), text);
    await world.publish('n1', directory);
    expect(await untilEvent('n1', 'CniConfigWarning')).toContain('write "static-ip-tags"');
  });

  it('B04: a writer that puts the whole object back without our tags gets them once more, and keeps its way the second time', async () => {
    await addNode(world, 'n1');
    const directory = world.directory();
    await writeConfig(directory, A);
    const agent = await world.publish('n1', directory);
    for (const state of ['TagsRemovedByOther', 'TagsContested']) {
      await world.untilTags('n1', A);
      await untilState(agent, 'TagsPublished');
      const { spec, ...object } = await nodeOf('n1');
      const { 'static-ip-tags': _ours, ...ipam } = spec.ipam;
      await world.cluster.api.replace({ ...object, spec: { ...spec, ipam: { ...ipam, 'min-allocate': 5 } } });
      await untilState(agent, state);
    }
    expect(await untilEvent('n1', 'TagsContested')).toContain('read-cni-conf');
    expect((await nodeOf('n1')).spec.ipam).toMatchObject({ 'min-allocate': 5 });
    expect(await world.tags('n1')).toBeUndefined();
  }, 60_000);

  it('leaves the tags of another writer alone, and says whose they are', async () => {
    await addNode(world, 'n1', { tags: B });
    const directory = world.directory();
    await writeConfig(directory, A);
    await world.publish('n1', directory);
    expect(await untilEvent('n1', 'TagsDiffer')).toContain('asks for kubernetes_cluster=,pool=a');
    expect(await world.tags('n1')).toEqual(B);
  });

  it('leaves the field to Cilium where its agent publishes, and waits for the CiliumNode where there is none', async () => {
    await ciliumSays({ ipam: 'eni', 'read-cni-conf': '/host/etc/cni/net.d/05-cilium.conflist' });
    const directory = world.directory();
    await writeConfig(directory, A);
    const agent = await world.publish('n1', directory);
    await untilState(agent, 'CiliumNodeMissing');
    await addNode(world, 'n1', { status: ENI_STATUS });
    await untilState(agent, 'LeftToCilium');
    expect((await nodeOf('n1')).metadata.generation).toBe(1);
    await ciliumSays({});
  });

  it('writes nothing at all in a settled world, over restarts', async () => {
    await addNode(world, 'n1');
    const directory = world.directory();
    await writeConfig(directory, A);
    const first = await world.publish('n1', directory);
    await untilState(first, 'TagsPublished');
    await untilEvent('n1', 'TagsPublished');
    const before = await nodeOf('n1');
    const events = await world.events('n1');
    await first.stop();
    const second = await world.publish('n1', directory);
    await untilState(second, 'TagsPublished');
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect((await nodeOf('n1')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(await world.events('n1')).toEqual(events);
    expect(await second.stop()).toBe(0);
  });
});
