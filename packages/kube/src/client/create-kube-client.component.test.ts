import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ciliumNodeCrd, createManualClock, eventually, startChaosProxy, startCluster } from '@static-ip/testkit';
import type { ChaosProxy, Cluster } from '@static-ip/testkit';
import { systemClock } from '../clock/system-clock.ts';
import { addFinalizerPatch, removeFinalizerPatch } from '../patch/finalizer-patch.ts';
import { at, ciliumNodes, configMaps, nodes } from '../testing/resources.test.fixture.ts';
import { createKubeClient } from './create-kube-client.ts';
import type { KubeClientOptions } from './create-kube-client.ts';
import type { KubeClient } from './kube-client.ts';

const stop = new AbortController();
const { signal } = stop;
let cluster: Cluster;
let proxy: ChaosProxy;
let client: KubeClient;

function connect(options: Partial<KubeClientOptions> = {}): KubeClient {
  return createKubeClient({
    kubeconfig: cluster.kubeconfigPath,
    userAgent: 'kube-test/1',
    fieldManager: 'kube-test',
    clock: systemClock,
    ...options,
  });
}

beforeAll(async () => {
  cluster = await startCluster({ signal });
  proxy = await startChaosProxy(cluster);
  await cluster.api.installCrd((await ciliumNodeCrd()).yaml);
  client = connect();
}, 120_000);

afterAll(async () => {
  stop.abort();
  await client?.close();
  await proxy?.stop();
  await cluster?.stop();
});

const NODE_WITH_UNKNOWN_FIELDS = {
  spec: { 'instance-id': 'i-1', ipam: { 'pre-allocate': 0, podCIDRs: ['10.1.0.0/24'] }, encryption: { key: 7 } },
};

const condition = (type: string) => ({ status: { conditions: [{ type, status: 'True' }] } });
const tags = (pool: string) => ({ spec: { ipam: { 'static-ip-tags': { pool } } } });

describe('patches against the real server', () => {
  it('B53: a merge patch of the CiliumNode status keeps fields that this system does not know', async () => {
    await client.create(ciliumNodes, { metadata: { name: 'b53-merge' }, ...NODE_WITH_UNKNOWN_FIELDS }, signal);
    const ref = { name: 'b53-merge' };
    const others = { ipam: { used: { '10.1.0.9': { owner: 'pod-a', resource: 'kept' } } } };
    await client.patch(ciliumNodes, ref, { type: 'merge', subresource: 'status', body: { status: others } }, signal);

    const body = { status: { ipam: { 'assigned-static-ip': '203.0.113.7' } } };
    const after = await client.patch(ciliumNodes, ref, { type: 'merge', subresource: 'status', body }, signal);

    expect(at(after, 'status', 'ipam')).toMatchObject({ ...others.ipam, 'assigned-static-ip': '203.0.113.7' });
    expect(at(after, 'spec')).toMatchObject(NODE_WITH_UNKNOWN_FIELDS.spec);
  });

  it('B53: a strategic patch of Node labels and conditions merges with what others wrote', async () => {
    await client.create(nodes, { metadata: { name: 'b53-strategic', labels: { theirs: 'kept' } } }, signal);
    const ref = { name: 'b53-strategic' };
    const labelled = await client.patch(
      nodes,
      ref,
      { type: 'strategic', body: { metadata: { labels: { ours: 'set' } } } },
      signal,
    );
    expect(labelled.metadata.labels).toMatchObject({ theirs: 'kept', ours: 'set' });

    // A list with a merge key: a merge patch would replace it.
    const patch = (type: string) =>
      client.patch(nodes, ref, { type: 'strategic', subresource: 'status', body: condition(type) }, signal);
    await patch('Theirs');
    const after = await patch('Ours');
    expect(at(after, 'status', 'conditions')).toEqual([
      expect.objectContaining({ type: 'Ours' }),
      expect.objectContaining({ type: 'Theirs' }),
    ]);
  });

  it('B53: a JSON patch adds and removes our finalizer only, and is refused when the list has changed', async () => {
    const ref = { namespace: 'default', name: 'b53-json' };
    const created = await client.create(configMaps, { metadata: ref }, signal);
    const addOurs = addFinalizerPatch(created, 'example.com/ours');
    if (addOurs === undefined) throw new Error('a new object has no finalizer');
    const withOurs = await client.patch(configMaps, ref, addOurs, signal);
    expect(withOurs.metadata.finalizers).toEqual(['example.com/ours']);
    await expect(client.patch(configMaps, ref, addOurs, signal)).rejects.toMatchObject({ code: 'invalid' });

    const addTheirs = addFinalizerPatch(withOurs, 'example.com/theirs');
    if (addTheirs === undefined) throw new Error('theirs is not there yet');
    const both = await client.patch(configMaps, ref, addTheirs, signal);
    const remove = removeFinalizerPatch(both, 'example.com/ours');
    if (remove === undefined) throw new Error('ours is there');
    const after = await client.patch(configMaps, ref, remove, signal);
    expect(after.metadata.finalizers).toEqual(['example.com/theirs']);
    // The same patch again would now hit the other controller's finalizer.
    await expect(client.patch(configMaps, ref, remove, signal)).rejects.toMatchObject({ code: 'invalid' });
    expect((await client.get(configMaps, ref, signal)).metadata.finalizers).toEqual(['example.com/theirs']);
  });

  it('B04: an apply patch owns exactly its field, and a forced one takes it over from another manager', async () => {
    await client.create(ciliumNodes, { metadata: { name: 'b04-apply' }, ...NODE_WITH_UNKNOWN_FIELDS }, signal);
    const ref = { name: 'b04-apply' };
    const apply = (pool: string, fieldManager: string, force: boolean) =>
      client.patch(ciliumNodes, ref, { type: 'apply', body: tags(pool), fieldManager, force }, signal);

    await apply('a', 'first', false);
    await expect(apply('b', 'second', false)).rejects.toMatchObject({ code: 'conflict' });
    const after = await apply('b', 'second', true);
    expect(at(after, 'spec')).toMatchObject({
      encryption: { key: 7 },
      ipam: { 'pre-allocate': 0, 'static-ip-tags': { pool: 'b' } },
    });
  });

  it('answers conflict for a resourceVersion that is not the current one', async () => {
    const ref = { namespace: 'default', name: 'versions' };
    const { metadata } = await client.create(configMaps, { metadata: ref, data: { a: '1' } }, signal);
    const change = (a: string) =>
      client.patch(
        configMaps,
        ref,
        { type: 'merge', body: { metadata: { resourceVersion: metadata.resourceVersion }, data: { a } } },
        signal,
      );
    await change('2');
    await expect(change('3')).rejects.toMatchObject({ code: 'conflict', status: 409, fields: { name: 'versions' } });
  });
});

describe('reads against the real server', () => {
  it('lists page by page, of one version', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `page-${i}`);
    for (const name of names) {
      await client.create(
        configMaps,
        { metadata: { namespace: 'kube-system', name, labels: { list: 'paged' } } },
        signal,
      );
    }
    const selection = { namespace: 'kube-system', labelSelector: 'list=paged', limit: 3 };
    const first = await client.list(configMaps, selection, signal);
    expect(first.items).toHaveLength(3);
    const second = await client.list(configMaps, { ...selection, continue: first.continue }, signal);
    const third = await client.list(configMaps, { ...selection, continue: second.continue }, signal);
    expect(third.continue).toBeUndefined();
    const all = [first, second, third].flatMap((page) => page.items.map((item) => item.metadata.name));
    expect(all).toEqual(names);
    expect(new Set([first, second, third].map((page) => page.resourceVersion)).size).toBe(1);
  });

  it('sets apart an object that its resource refuses, and lists the others', async () => {
    const picky = {
      ...configMaps,
      parse: (raw: unknown) => {
        const object = configMaps.parse(raw);
        if (object.metadata.name === 'page-3') throw new Error('not to my taste');
        return object;
      },
    };
    const page = await client.list(picky, { namespace: 'kube-system', labelSelector: 'list=paged' }, signal);
    expect(page.items).toHaveLength(6);
    expect(page.rejected).toEqual([{ key: 'kube-system/page-3', error: new Error('not to my taste') }]);
  });

  it('says whether a resource is served', async () => {
    expect(await client.isServed(ciliumNodes, signal)).toBe(true);
    expect(await client.isServed({ ...ciliumNodes, plural: 'nosuches' }, signal)).toBe(false);
    expect(await client.isServed({ ...ciliumNodes, group: 'nosuch.example.com' }, signal)).toBe(false);
  });

  it('tells the codes of absent, existing and forbidden objects apart', async () => {
    const ref = { namespace: 'default', name: 'codes' };
    await expect(client.get(configMaps, ref, signal)).rejects.toMatchObject({ code: 'notFound', status: 404 });
    const { metadata } = await client.create(configMaps, { metadata: ref }, signal);
    await expect(client.create(configMaps, { metadata: ref }, signal)).rejects.toMatchObject({ code: 'alreadyExists' });
    await expect(client.delete(configMaps, ref, { uid: 'another' }, signal)).rejects.toMatchObject({
      code: 'conflict',
    });
    await client.delete(configMaps, ref, { uid: metadata.uid }, signal);
    await expect(client.delete(configMaps, ref, {}, signal)).rejects.toMatchObject({ code: 'notFound' });

    const token = await cluster.createServiceAccountToken({ namespace: 'default', name: 'nobody' });
    const nobody = connect({ kubeconfig: cluster.writeKubeconfig({ token }) });
    await expect(nobody.list(nodes, {}, signal)).rejects.toMatchObject({ code: 'forbidden', status: 403 });
    await nobody.close();
  });
});

describe('faults between us and the server', () => {
  it('B57: a refused credential is an error, never an empty list, and is read anew from the kubeconfig', async () => {
    const stranger = connect({ kubeconfig: cluster.writeKubeconfig({ token: 'expired' }) });
    await expect(stranger.list(nodes, {}, signal)).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
    await stranger.close();
  });

  it('B57: an answer that is not a list is a protocol error', async () => {
    const odd = { ...configMaps, plural: 'configmaps/kube-root-ca.crt' };
    await cluster.api
      .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt', namespace: 'default' } })
      .catch(() => undefined);
    await expect(client.list(odd, { namespace: 'default' }, signal)).rejects.toMatchObject({ code: 'protocol' });
  });

  it('translates throttling with the time to wait, server errors, resets and silence', async () => {
    const through = connect({ kubeconfig: cluster.writeKubeconfig({ server: proxy.url }), requestTimeoutMs: 300 });
    const get = () => through.get(nodes, { name: 'nosuch' }, signal);
    const once = { times: 1, match: { resource: 'nodes' } } as const;

    proxy.fault({ ...once, action: { type: 'answer', status: 429, retryAfterSeconds: 7 } });
    await expect(get()).rejects.toMatchObject({ code: 'throttled', retryAfterMs: 7_000 });
    proxy.fault({ ...once, action: { type: 'answer', status: 503 } });
    await expect(get()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    proxy.fault({ ...once, action: { type: 'stall' } });
    await expect(get()).rejects.toMatchObject({ code: 'timeout' });
    // A read over a pooled socket is repeated once, so two resets in a row are seen as one failure.
    await expect(get()).rejects.toMatchObject({ code: 'notFound' });
    proxy.fault({ ...once, times: 2, action: { type: 'reset' } });
    await expect(get()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(get()).rejects.toMatchObject({ code: 'notFound' });
    await through.close();
  });

  it('does not send a write twice when its reply is lost', async () => {
    const through = connect({ kubeconfig: cluster.writeKubeconfig({ server: proxy.url }) });
    await through.get(nodes, { name: 'warm-up' }, signal).catch(() => undefined);
    proxy.clearJournal();
    proxy.fault({ times: 1, match: { method: 'POST' }, action: { type: 'loseReply' } });
    const body = { metadata: { namespace: 'default', name: 'lost-reply' } };
    await expect(through.create(configMaps, body, signal)).rejects.toMatchObject({ code: 'unavailable' });
    expect(proxy.requests({ method: 'POST' })).toHaveLength(1);
    await through.close();
  });

  it('keeps so many writes under way at most, and lets an urgent one pass', async () => {
    const through = connect({ kubeconfig: cluster.writeKubeconfig({ server: proxy.url }), maxConcurrentWrites: 2 });
    const ref = { namespace: 'default', name: 'urgent' };
    await client.create(configMaps, { metadata: ref }, signal);
    proxy.clearJournal();
    const lift = proxy.fault({ match: { resource: 'configmaps', method: 'PATCH' }, action: { type: 'stall' } });
    const cut = new AbortController();
    const patch = (urgent: boolean) =>
      through.patch(configMaps, ref, { type: 'merge', body: { data: { b: '1' } }, urgent }, cut.signal);
    const writes = Array.from({ length: 5 }, () => patch(false));
    const settled = Promise.allSettled(writes);
    await eventually(() => proxy.requests({ method: 'PATCH' }).length === 2, { timeoutMs: 5_000 });
    lift();
    await patch(true);
    expect(proxy.requests({ method: 'PATCH' })).toHaveLength(3);
    cut.abort(new Error('enough'));
    expect((await settled).every((one) => one.status === 'rejected')).toBe(true);
    await through.close();
  });

  it('says that the server cannot be reached, or that its certificate is not trusted', async () => {
    const nowhere = connect({ kubeconfig: cluster.writeKubeconfig({ server: 'https://127.0.0.1:1' }) });
    await expect(nowhere.list(nodes, {}, signal)).rejects.toMatchObject({
      code: 'unavailable',
      fields: { server: 'https://127.0.0.1:1', errno: 'ECONNREFUSED' },
    });
    await nowhere.close();
    const wrongName = connect({ kubeconfig: kubeconfigWith({ 'tls-server-name': 'other.example.com' }) });
    await expect(wrongName.list(nodes, {}, signal)).rejects.toMatchObject({
      code: 'config',
      fields: { errno: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
    await wrongName.close();
  });
});

describe('credentials', () => {
  it('runs a credential plugin again after the server refused what it gave', async () => {
    const script = path.join(cluster.dataDir, 'plugin.mjs');
    const tokenFile = path.join(cluster.dataDir, 'plugin-token');
    writeFileSync(
      script,
      `import { readFileSync } from 'node:fs';
       const status = { token: readFileSync(${JSON.stringify(tokenFile)}, 'utf8').trim() };
       console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }));`,
    );
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [script] };
    const clock = createManualClock({ startMs: 0 });
    const withPlugin = connect({ kubeconfig: kubeconfigWith({}, { exec }), clock });
    const list = () => withPlugin.list(nodes, {}, signal);

    await expect(list()).rejects.toMatchObject({ code: 'unauthorized', fields: { plugin: process.execPath } });
    writeFileSync(tokenFile, 'expired');
    await expect(list()).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
    writeFileSync(tokenFile, `${cluster.adminToken}\n`);
    await expect(list()).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
    await clock.advance(10_000);
    expect((await list()).items).not.toEqual([]);
    await withPlugin.close();
  });
});

/** A kubeconfig for the test's server, with changes of its cluster and user entries. */
function kubeconfigWith(clusterPart: object, user: object = { token: cluster.adminToken }): string {
  const server = { server: cluster.url, 'certificate-authority': cluster.caFile, ...clusterPart };
  const config = {
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: server }],
    users: [{ name: 'test', user }],
  };
  const file = path.join(cluster.dataDir, `kubeconfig-${randomUUID()}`);
  writeFileSync(file, JSON.stringify(config));
  return file;
}
