import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { AUTOCREATED, eventually, startCollector, startEipWorld } from '@static-ip/testkit';
import type { Collector, EipWorld, OperatorProcess, SentSpan } from '@static-ip/testkit';

let world: EipWorld;
const toClose: (() => void)[] = [];
beforeAll(async () => {
  world = await startEipWorld();
}, 120_000);
beforeEach(async () => {
  await world.reset();
  await world.addPodNode({ name: 'n1', podIps: ['10.0.77.1', '10.0.77.2'] });
});
afterEach(() => {
  for (const close of toClose.splice(0)) close();
  expect(world.ec2.violations()).toEqual([]);
});
afterAll(() => world.stop());

async function collecting(options: Parameters<typeof startCollector>[0] = {}): Promise<Collector> {
  const collector = await startCollector(options);
  toClose.push(() => collector.close());
  return collector;
}

/** An operator that is told of traces by the environment, as its predecessor was, and traces everything. */
function tracing(endpoint: string, over: Readonly<Record<string, string>> = {}): Promise<OperatorProcess> {
  const environment = { OPENTELEMETRY_ENDPOINT: endpoint, OPENTELEMETRY_SAMPLE_RATE: '1', ...over };
  return world.operator([], { environment });
}

async function giveAddress(name: string, ip: string): Promise<void> {
  await world.addPod({ name, ip, labels: AUTOCREATED });
  await world.untilAttached(name, ip, { timeoutMs: 5_000 });
}

function untilSpan(collector: Collector, isIt: (span: SentSpan) => boolean): Promise<SentSpan> {
  const find = (): SentSpan => {
    const found = collector.spans().find(isIt);
    if (found === undefined)
      throw new Error(
        `only ${collector
          .spans()
          .map(({ name }) => name)
          .join(', ')}`,
      );
    return found;
  };
  return eventually(async () => find(), { timeoutMs: 15_000 });
}

const tellsOfTraces = (operator: OperatorProcess): number =>
  operator.log().filter(({ message }) => message === 'Cannot send traces').length;

async function stopsSoon(operator: OperatorProcess): Promise<void> {
  const startMs = performance.now();
  expect(await operator.stop()).toBe(0);
  expect(performance.now() - startMs).toBeLessThan(4_000);
}

describe('traces', () => {
  it('have each reconcile as a span, with its calls to the cloud below it', async () => {
    const collector = await collecting();
    const operator = await tracing(collector.endpoint, {
      OPENTELEMETRY_HEADERS: '{"x-team":"edge","Authorization":"Bearer abc"}',
      OPENTELEMETRY_TOPLEVEL_FIELDS: '{"stage":"test"}',
    });
    await giveAddress('web-0', '10.0.77.1');
    const call = await untilSpan(collector, ({ name }) => name === 'AssociateAddress');
    const run = await untilSpan(collector, ({ spanId }) => spanId === call.parentId);
    const uid = (await world.eip('web-0'))?.metadata.uid;
    expect(call).toMatchObject({
      traceId: run.traceId,
      isError: false,
      attributes: { 'static_ip.action': 'AssociateAddress', 'static_ip.code': 'ok' },
    });
    expect(run).toMatchObject({
      name: 'reconcile claims',
      parentId: undefined,
      isError: false,
      attributes: {
        'static_ip.controller': 'claims',
        'static_ip.key': 'eip/default/web-0',
        'static_ip.uid': uid,
        'static_ip.outcome': expect.stringMatching(/^(settled|again)$/),
        'static_ip.reason': expect.any(String),
      },
      resource: {
        stage: 'test',
        'service.name': 'static-ip-ipam-operator',
        'k8s.cluster.name': 'prod',
      },
    });
    expect(run.events.map(({ name, attributes }) => [name, attributes['static_ip.action']])).toContainEqual([
      'Attaching address',
      'attach',
    ]);
    expect(run.durationMs).toBeGreaterThanOrEqual(call.durationMs);
    await untilSpan(collector, ({ name }) => name === 'reconcile pods');
    expect(collector.metadata()[0]).toMatchObject({ 'x-team': 'edge', authorization: 'Bearer abc' });
    expect(JSON.stringify(operator.log())).not.toContain('Bearer abc');
    await stopsSoon(operator);
  }, 60_000);

  it('show what failed, by its code', async () => {
    const collector = await collecting();
    world.ec2.configure({ credentials: { operator: { status: 'valid', deniedActions: ['AssociateAddress'] } } });
    await tracing(collector.endpoint);
    await world.addPod({ name: 'web-0', ip: '10.0.77.1', labels: AUTOCREATED });
    const call = await untilSpan(collector, ({ name }) => name === 'AssociateAddress');
    expect(call).toMatchObject({ isError: true, attributes: { 'error.type': 'UnauthorizedOperation' } });
    const run = await untilSpan(collector, ({ spanId }) => spanId === call.parentId);
    expect(run).toMatchObject({
      isError: true,
      attributes: { 'error.type': 'denied', 'static_ip.reason': 'AccessDenied' },
    });
  }, 60_000);

  it.each([
    ['with the sample rate 0', { OPENTELEMETRY_SAMPLE_RATE: '0' }, []],
    ['at a level above INFO', { OPENTELEMETRY_LEVEL_TARGETS: 'error' }, []],
    ['at the level INFO', { OPENTELEMETRY_LEVEL_TARGETS: 'info' }, ['reconcile claims', 'reconcile pods']],
  ])(
    'have less in them %s',
    async (_name, over, names) => {
      const collector = await collecting();
      const operator = await tracing(collector.endpoint, over);
      await giveAddress('web-0', '10.0.77.1');
      // Whatever waits is sent at the end.
      await stopsSoon(operator);
      const sent = new Set(
        collector
          .spans()
          .map(({ name }) => name)
          .filter((name) => name !== 'reconcile nodes'),
      );
      expect([...sent].toSorted()).toEqual(names);
    },
    60_000,
  );

  it('that nobody takes hold nothing up, and are told once', async () => {
    const operator = await tracing('http://127.0.0.1:9');
    await giveAddress('web-0', '10.0.77.1');
    await eventually(async () => expect(tellsOfTraces(operator)).toBe(1), { timeoutMs: 20_000 });
    await giveAddress('web-1', '10.0.77.2');
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(tellsOfTraces(operator)).toBe(1);
    await stopsSoon(operator);
  }, 60_000);

  it.each([
    ['a collector that never answers', async () => (await collecting({ answers: false })).endpoint],
    ['a port where nobody speaks', mutePort],
  ])(
    'for %s hold nothing up, not even the end',
    async (_name, endpointOf) => {
      const operator = await tracing(await endpointOf());
      await giveAddress('web-0', '10.0.77.1');
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await giveAddress('web-1', '10.0.77.2');
      await stopsSoon(operator);
    },
    60_000,
  );

  it('whose headers are no JSON are refused at the start, and the headers are not shown', async () => {
    const operator = await tracing('http://127.0.0.1:9', { OPENTELEMETRY_HEADERS: '{authorization: abc}' });
    expect(await operator.ended).toBe(2);
    const said = JSON.stringify(operator.log());
    expect(said).toContain('--opentelemetry-headers (environment OPENTELEMETRY_HEADERS)');
    expect(said).toContain('it is not valid JSON');
    expect(said).not.toContain('authorization: abc');
  }, 30_000);
});

/** Takes connections and is silent. */
async function mutePort(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port }: AddressInfo = boundTo(server.address());
  return `http://127.0.0.1:${port}`;
}

function boundTo(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return address;
}
