import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { createApiClient } from '../cluster/api.ts';
import type { ApiClient } from '../cluster/api.ts';
import { eventually } from '../cluster/eventually.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { startChaosProxy } from './chaos-proxy.ts';
import type { ChaosProxy } from './chaos-proxy.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let cluster: Cluster;
let proxy: ChaosProxy;
let client: ApiClient;
let dispatcher: Agent;

beforeAll(async () => {
  cluster = await startCluster();
}, 60_000);

afterAll(async () => {
  await cluster.stop();
});

beforeEach(async () => {
  proxy = await startChaosProxy(cluster);
  client = createApiClient({ url: proxy.url, caFile: cluster.caFile, token: cluster.adminToken });
  dispatcher = new Agent({ connect: { ca: readFileSync(cluster.caFile) }, bodyTimeout: 0 });
});

afterEach(async () => {
  await client.close();
  await dispatcher.destroy();
  await proxy.stop();
});

interface Watch {
  readonly lines: readonly string[];
  readonly ended: Promise<string>;
  readonly close: () => void;
}

/** Watches config maps through the proxy and collects what arrives. */
async function watch(): Promise<Watch> {
  const { metadata } = await cluster.api.send<KubeObject>({ method: 'GET', path: CONFIG_MAPS });
  const { statusCode, body } = await request(
    `${proxy.url}${CONFIG_MAPS}?watch=true&resourceVersion=${metadata.resourceVersion}`,
    {
      dispatcher,
      headers: { authorization: `Bearer ${cluster.adminToken}` },
    },
  );
  expect(statusCode).toBe(200);
  const lines: string[] = [];
  let rest = '';
  body.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const ended = new Promise<string>((resolve) => {
    body.once('end', () => resolve('end'));
    body.once('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
  });
  return { lines, ended, close: () => body.destroy() };
}

let serial = 0;
async function createConfigMap(api: ApiClient): Promise<string> {
  const name = `map-${serial++}`;
  await api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } });
  return name;
}

function seen(lines: readonly string[]): readonly string[] {
  return lines.map((line) => {
    const event: { type: string; object: { code?: number; metadata?: { name?: string } } } = JSON.parse(line);
    return `${event.type} ${event.object.metadata?.name ?? event.object.code}`;
  });
}

describe('chaos proxy', () => {
  it('passes requests and watches on, and keeps a journal of them', async () => {
    const stream = await watch();
    const name = await createConfigMap(client);
    await eventually(() => expect(seen(stream.lines)).toContain(`ADDED ${name}`), { timeoutMs: 5_000 });
    expect(proxy.requests({ method: 'POST', resource: 'configmaps' })).toMatchObject([
      { path: CONFIG_MAPS, status: 201, watch: false },
    ]);
    stream.close();
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(0), { timeoutMs: 5_000 });
  });

  it('counts how many watches of a resource are open, and were at the most', async () => {
    const first = await watch();
    const second = await watch();
    expect(proxy.openWatches('configmaps')).toBe(2);
    first.close();
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(1), { timeoutMs: 5_000 });
    expect(proxy.mostOpenWatches('configmaps')).toBe(2);
    proxy.clearJournal();
    expect(proxy.mostOpenWatches('configmaps')).toBe(1);
    second.close();
  });

  it('cuts connections with a reset', async () => {
    const stream = await watch();
    expect(proxy.cutConnections()).toBeGreaterThan(0);
    expect(await stream.ended).toBe('ECONNRESET');
    expect(await client.list(CONFIG_MAPS)).toBeDefined();
  });

  it('refuses new connections until it passes again', async () => {
    proxy.refuseConnections();
    proxy.cutConnections();
    await expect(client.list(CONFIG_MAPS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.pass();
    await client.list(CONFIG_MAPS);
  });

  it('silences open streams without ending them', async () => {
    const stream = await watch();
    expect(proxy.stallStreams({ watch: true })).toBe(1);
    const other = await watch();
    const name = await createConfigMap(cluster.api);
    await eventually(() => expect(seen(other.lines)).toContain(`ADDED ${name}`), { timeoutMs: 5_000 });
    expect(await Promise.race([stream.ended, sleep(50, 'still open')])).toBe('still open');
    expect(seen(stream.lines)).not.toContain(`ADDED ${name}`);
    expect(proxy.openWatches('configmaps')).toBe(2);
  });

  it('swallows requests', async () => {
    const lift = proxy.fault({ match: { method: 'GET' }, action: { type: 'stall' } });
    expect(await Promise.race([client.list(CONFIG_MAPS), sleep(100, 'no answer')])).toBe('no answer');
    lift();
    await client.list(CONFIG_MAPS);
  });

  it('answers errors as often as it is told', async () => {
    proxy.fault({ action: { type: 'answer', status: 429, retryAfterSeconds: 1 }, times: 1 });
    proxy.fault({ match: { path: CONFIG_MAPS }, action: { type: 'answer', status: 410 }, times: 1 });
    await expect(client.list(CONFIG_MAPS)).rejects.toMatchObject({ status: 429, reason: 'TooManyRequests' });
    await expect(client.list(CONFIG_MAPS)).rejects.toMatchObject({ status: 410, reason: 'Expired' });
    await client.list(CONFIG_MAPS);
    expect(proxy.requests().map(({ status }) => status)).toEqual([429, 410, 200]);
  });

  it('puts an ERROR event with code 410 into an open watch and ends it', async () => {
    const stream = await watch();
    expect(proxy.failWatches({ resource: 'nodes' }, 410)).toBe(0);
    expect(proxy.failWatches({ resource: 'configmaps' }, 410)).toBe(1);
    expect(await stream.ended).toBe('end');
    expect(seen(stream.lines).at(-1)).toBe('ERROR 410');
  });

  it('answers a new watch with an ERROR event', async () => {
    proxy.fault({ match: { watch: true }, action: { type: 'watchError', code: 410 }, times: 1 });
    const stream = await watch();
    expect(await stream.ended).toBe('end');
    expect(seen(stream.lines)).toEqual(['ERROR 410']);
  });

  it('corrupts one line of a watch and no more', async () => {
    const stream = await watch();
    proxy.corruptWatches();
    const before = stream.lines.length;
    await createConfigMap(cluster.api);
    const whole = await createConfigMap(cluster.api);
    await eventually(() => stream.lines.length >= before + 2, { timeoutMs: 5_000 });
    const [first = '', second = ''] = stream.lines.slice(before);
    expect(() => JSON.parse(first)).toThrow(SyntaxError);
    expect(seen([second])).toEqual([`ADDED ${whole}`]);
  });

  it('delays a request', async () => {
    proxy.fault({ action: { type: 'delay', ms: 150 }, times: 1 });
    const startedMs = performance.now();
    await client.list(CONFIG_MAPS);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(149);
  });

  it('loses the reply to a write that took effect, and resets one that did not', async () => {
    proxy.fault({ match: { method: 'POST' }, action: { type: 'loseReply' }, times: 1 });
    await expect(createConfigMap(client)).rejects.toMatchObject({ code: 'ECONNRESET' });
    const written = `map-${serial - 1}`;
    expect(await cluster.api.find(`${CONFIG_MAPS}/${written}`)).toBeDefined();

    proxy.fault({ match: { method: 'POST' }, action: { type: 'reset' }, times: 1 });
    await expect(createConfigMap(client)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await cluster.api.find(`${CONFIG_MAPS}/map-${serial - 1}`)).toBeUndefined();
  });
});
