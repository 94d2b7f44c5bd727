import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSeededRandom, eventually, startChaosProxy, startCluster } from '@static-ip/testkit';
import type { ChaosProxy, Cluster } from '@static-ip/testkit';
import { createKubeClient } from '../client/create-kube-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { systemClock } from '../clock/system-clock.ts';
import { errnoOf } from '../errors.ts';
import { configMaps } from '../testing/resources.test.fixture.ts';
import type { RawKubeObject } from '../testing/resources.test.fixture.ts';
import { createInformer } from './informer.ts';
import type { Informer, InformerOptions } from './informer.ts';

const RESOURCE = 'configmaps';
const TIMING = {
  backoff: { baseMs: 50, maxMs: 400 },
  idleDeadlineMs: 1_500,
  watchTimeoutSeconds: { min: 60, max: 120 },
};
let cluster: Cluster;
let proxy: ChaosProxy;
/** Straight to the server. */
let direct: KubeClient;
let through: KubeClient;
let stop: AbortController;
let running: Promise<void>;
let errors: string[];
let relists: number;
let changes: string[];
let namespace: string;
let count = 0;

beforeAll(async () => {
  cluster = await startCluster();
  proxy = await startChaosProxy(cluster);
  const options = { userAgent: 'kube-test/1', fieldManager: 'kube-test', clock: systemClock, requestTimeoutMs: 2_000 };
  direct = createKubeClient({ ...options, kubeconfig: cluster.kubeconfigPath });
  through = createKubeClient({ ...options, kubeconfig: cluster.writeKubeconfig({ server: proxy.url }) });
}, 120_000);

afterAll(async () => {
  await direct?.close();
  await through?.close();
  await proxy?.stop();
  await cluster?.stop();
});

beforeEach(async () => {
  stop = new AbortController();
  errors = [];
  relists = 0;
  changes = [];
  namespace = `informer-${(count += 1)}`;
  await cluster.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await proxy.pass();
  proxy.clearJournal();
});

afterEach(async () => {
  stop.abort();
  await running;
  // Nothing is left behind, whatever happened.
  await eventually(() => proxy.openWatches(RESOURCE) === 0, { timeoutMs: 5_000 });
});

async function follow(options: Partial<InformerOptions<RawKubeObject>> = {}): Promise<Informer<RawKubeObject>> {
  const informer = createInformer({
    client: through,
    resource: configMaps,
    namespace,
    clock: systemClock,
    random: createSeededRandom(1),
    hooks: { onError: (error, { phase }) => errors.push(`${phase} ${errnoOf(error)}`), onRelist: () => (relists += 1) },
    ...TIMING,
    ...options,
  });
  informer.subscribe((key, before, after) => {
    changes.push(`${before === undefined ? '+' : after === undefined ? '-' : '~'}${key.split('/')[1]}`);
  });
  running = informer.run(stop.signal);
  await informer.whenSynced(AbortSignal.timeout(5_000));
  return informer;
}

const create = (name: string) => direct.create(configMaps, { metadata: { namespace, name } }, stop.signal);
const remove = (name: string) => direct.delete(configMaps, { namespace, name }, {}, stop.signal);
const watching = () => eventually(() => proxy.openWatches(RESOURCE) === 1, { timeoutMs: 5_000 });
const names = (informer: Informer<RawKubeObject>) =>
  informer.store
    .list()
    .map((one) => one.metadata.name)
    .toSorted();
const shows = (informer: Informer<RawKubeObject>, ...wanted: readonly string[]) =>
  eventually(() => expect(names(informer)).toEqual(wanted), { timeoutMs: 8_000 });

describe('informer against the real server', () => {
  it('shows what is there, page by page, and follows what changes', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const informer = await follow({ pageSize: 2 });
    expect(names(informer)).toEqual(['a', 'b', 'c']);
    expect(proxy.requests({ resource: RESOURCE, watch: false })).toHaveLength(2);
    await watching();
    await create('d');
    await remove('a');
    await shows(informer, 'b', 'c', 'd');
    expect(changes).toEqual(['+a', '+b', '+c', '+d', '-a']);
    expect(errors).toEqual([]);
  });

  it('B30: shows an object that is already terminating, like any other', async () => {
    const body = { metadata: { namespace, name: 'dying', finalizers: ['example.com/hold'] } };
    await direct.create(configMaps, body, stop.signal);
    await remove('dying');
    const informer = await follow();
    expect(informer.store.get(`${namespace}/dying`)?.metadata.deletionTimestamp).toBeDefined();
  });

  it('B48: gives up a watch that went silent without a FIN, and then sees what it missed', async () => {
    const informer = await follow();
    // A watch counts as open from its request on; it can be stalled once the server has answered.
    await eventually(() => proxy.stallStreams({ resource: RESOURCE }) === 1, { timeoutMs: 5_000 });
    await create('unseen');
    await shows(informer, 'unseen');
    expect(errors).toEqual(['watch timeout']);
    expect(proxy.mostOpenWatches(RESOURCE)).toBe(1);
  });

  it('B48: is unhealthy while the server gives no sign of life, and healthy again afterwards', async () => {
    const informer = await follow({ idleDeadlineMs: 300 });
    await watching();
    proxy.fault({ action: { type: 'stall' } });
    proxy.stallStreams();
    expect(informer.healthy()).toBe(true);
    await eventually(() => !informer.healthy(), { timeoutMs: 5_000 });
    await proxy.pass();
    await eventually(() => informer.healthy(), { timeoutMs: 8_000 });
  });

  it('B49: relists after 410 as an ERROR event in the stream, and turns what vanished meanwhile into removals', async () => {
    await create('stays');
    await create('goes');
    const informer = await follow();
    await watching();
    // Blind from here on: the next watches get 410, too, and the list is slow.
    proxy.fault({ match: { watch: true }, action: { type: 'watchError', code: 410 }, times: 2 });
    proxy.stallStreams({ resource: RESOURCE });
    await remove('goes');
    proxy.failWatches({ resource: RESOURCE }, 410);
    await shows(informer, 'stays');
    expect(changes).toEqual(['+goes', '+stays', '-goes']);
    expect(errors).toContain('watch gone');
  });

  it('B49: relists after 410 as the status of the watch request, once per back-off step', async () => {
    await create('stays');
    await create('goes');
    const informer = await follow();
    await watching();
    const lift = proxy.fault({ match: { watch: true }, action: { type: 'answer', status: 410 } });
    proxy.cutConnections();
    await remove('goes');
    await shows(informer, 'stays');
    await eventually(() => relists >= 4, { timeoutMs: 5_000 });
    // Each relist needs a failed watch before it: none is free.
    expect(errors.filter((error) => error === 'watch gone').length).toBeGreaterThanOrEqual(relists - 1);
    const lists = proxy.requests({ resource: RESOURCE, watch: false }).map(({ atMs }) => atMs);
    const gaps = lists.slice(2).map((atMs, i) => atMs - (lists[i + 1] ?? atMs));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(TIMING.backoff.baseMs);
    lift();
    await watching();
  });

  it('B49: survives a server that really compacted the version away', async () => {
    await create('stays');
    const informer = await follow();
    await watching();
    proxy.refuseConnections();
    proxy.cutConnections();
    await remove('stays');
    await create('new');
    // A restarted server has an empty watch cache: old versions are gone for it.
    await cluster.restartApiserver({ kill: true });
    await proxy.pass();
    await shows(informer, 'new');
    expect(changes.toSorted()).toEqual(['+new', '+stays', '-stays']);
  });

  it('B50: many resets, refusals, errors and corrupt lines leave one watch, few requests, flat sockets, the right state', async () => {
    const informer = await follow();
    const random = createSeededRandom(50);
    await watching();
    const socketsBefore = openSockets();
    const faults = [
      () => proxy.cutConnections(),
      () => proxy.stallStreams(),
      () => proxy.corruptWatches(),
      () => proxy.failWatches({ resource: RESOURCE }, 410),
      () => proxy.failWatches({ resource: RESOURCE }, 500),
      () => proxy.fault({ action: { type: 'answer', status: 503 }, times: 2 }),
      () => proxy.fault({ action: { type: 'reset' }, times: 2 }),
      () => proxy.refuseConnections(),
    ];
    expect(socketsBefore).toBeGreaterThan(0);
    const startedMs = performance.now();
    for (let round = 0; round < 40; round++) {
      faults[Math.floor(random() * faults.length)]?.();
      await create(`r${round}`);
      await systemClock.sleep(random() * 200, stop.signal);
      await proxy.pass();
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    await shows(informer, ...Array.from({ length: 40 }, (_, round) => `r${round}`).toSorted());
    expect(proxy.mostOpenWatches(RESOURCE)).toBe(1);
    // Scaled from "under 1/s at back-off 1 s to 30 s": at most a list and a watch per shortest pause.
    expect(proxy.requests().length).toBeLessThan((2 * seconds * 1_000) / TIMING.backoff.baseMs);
    await eventually(() => expect(openSockets()).toBeLessThanOrEqual(socketsBefore + 2), { timeoutMs: 5_000 });
    expect(errors.length).toBeGreaterThan(0);
  }, 60_000);

  it('B51: a relist of unchanged objects tells nobody anything', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const informer = await follow();
    await watching();
    const before = informer.store.get(`${namespace}/a`);
    changes = [];
    proxy.failWatches({ resource: RESOURCE }, 410);
    await eventually(() => relists === 2, { timeoutMs: 5_000 });
    expect(changes).toEqual([]);
    expect(informer.store.get(`${namespace}/a`)).toBe(before);
  });

  it('relists at a fixed period even when nothing fails', async () => {
    await follow({ relistPeriodMs: 500, watchTimeoutSeconds: { min: 1, max: 1 } });
    await eventually(() => relists >= 3, { timeoutMs: 8_000 });
    expect(errors).toEqual([]);
  });

  it('a handler that throws is reported, and hears of the next change', async () => {
    const informer = await follow();
    let heard = 0;
    informer.subscribe(() => {
      heard += 1;
      throw new TypeError('a bug of the handler');
    });
    await watching();
    await create('a');
    await create('b');
    await eventually(() => heard === 2, { timeoutMs: 5_000 });
    expect(errors).toEqual(['handler ', 'handler ']);
    expect(names(informer)).toEqual(['a', 'b']);
  });
});

/** Connections of this process to anywhere, both ends counted for those to the proxy. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap' || kind === 'TLSWrap').length;
}
