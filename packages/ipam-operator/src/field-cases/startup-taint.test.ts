import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER_NAME, eventually, installChart, MANAGED, startEipWorld } from '@static-ip/testkit';
import type { EipWorld, NewNode, NodeObject } from '@static-ip/testkit';
import { TAINT } from '../api/names.ts';

const POOL = { pool: 'a' };
const OURS = { key: TAINT.addressPending, effect: 'NoSchedule' };
const THEIRS = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
/** The API server itself adds the second to every new Node. */
const FOREIGN = ['dedicated:NoSchedule', 'node.kubernetes.io/not-ready:NoSchedule'];
const ON = ['--startup-taint=confirmed'];

let world: EipWorld;
/** The rights of an operator that serves CiliumNodes only, and is not told to remove taints. */
let withoutRight: string;
beforeAll(async () => {
  world = await startEipWorld({
    kubeconfig: async (cluster) => {
      const common = { leaseNamespace: 'default', clusterName: CLUSTER_NAME };
      const poor = { ...common, sources: ['cilium-node'] };
      withoutRight = (await installChart({ cluster, release: 'poor', values: { options: poor, ...NO_CRD } }))
        .kubeconfig;
      const values = { options: { ...common, startupTaint: 'confirmed' }, ...NO_CRD };
      return (await installChart({ cluster, values })).kubeconfig;
    },
  });
}, 120_000);
beforeEach(() => world.reset());
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

const NO_CRD = { crds: { install: false } };
const nodePath = (name: string): string => `/api/v1/nodes/${name}`;

/** A node that is registered with the taint, and whatever else is given. */
async function addTainted(name: string, over: Partial<NewNode> = {}): Promise<void> {
  await world.addNode({ name, taints: [THEIRS, OURS], ...over });
}

async function taintsOf(name: string): Promise<readonly string[]> {
  const found = await world.cluster.api.find<NodeObject>(nodePath(name));
  return (found?.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
}

async function hasTaint(name: string): Promise<boolean> {
  return (await taintsOf(name)).some((taint) => taint.startsWith(OURS.key));
}

const untilRemoved = (name: string, timeoutMs = 10_000): Promise<true> =>
  eventually(async () => !(await hasTaint(name)), { timeoutMs });

async function untilTold(name: string, reason: string): Promise<string> {
  await world.untilEvent(name, reason);
  return (await world.events({ name, reason }))[0]?.note ?? '';
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a node that was registered with the start-up taint', () => {
  it('B37: loses it after the address is seen to be there, not when it was attached; other taints stay', async () => {
    world.addPool(1, POOL);
    await addTainted('n1', { tags: POOL });
    await sleep(5_000); // The instance is older than what the reads below show.
    for (const action of ['DescribeNetworkInterfaces', 'DescribeAddresses']) {
      world.ec2.injectFault({ kind: 'stale', action, ms: 5_000 });
    }
    await world.operator(ON);
    await eventually(() => world.calls('AssociateAddress') === 1, { timeoutMs: 10_000, intervalMs: 20 });
    const attachedAt = Date.now();
    await eventually(async () => !(await hasTaint('n1')), { timeoutMs: 15_000, intervalMs: 50 });
    expect(Date.now() - attachedAt).toBeGreaterThan(4_500);
    expect(await world.assigned('n1')).toBe(world.held('n1'));
    expect(await taintsOf('n1')).toEqual(FOREIGN);
    expect(await untilTold('n1', 'StartupTaintRemoved')).toContain('confirmed');
  }, 40_000);

  it('B37: keeps it while the pool is empty, for ever unless a time is set', async () => {
    await addTainted('n1', { tags: POOL });
    await world.operator(ON);
    await world.untilEvent('n1', 'NoAddressMatches');
    await sleep(2_000);
    expect(await hasTaint('n1')).toBe(true);
    world.addPool(1, POOL);
    await untilRemoved('n1');
    expect(await world.events({ reason: 'StartupTaintGivenUp' })).toEqual([]);
  });

  it('B37: loses it after the time that is set for giving up, for another reason, which says what is missing', async () => {
    await addTainted('empty-pool', { tags: POOL });
    await addTainted('unasked');
    await world.operator([...ON, '--startup-taint-give-up=6s']);
    await world.untilEvent('empty-pool', 'NoAddressMatches');
    expect([await hasTaint('empty-pool'), await hasTaint('unasked')]).toEqual([true, true]);
    await Promise.all([untilRemoved('empty-pool'), untilRemoved('unasked')]);
    expect(await untilTold('empty-pool', 'StartupTaintGivenUp')).toContain('NoAddressMatches');
    expect(await untilTold('unasked', 'StartupTaintGivenUp')).toContain('nothing asks for an address');
    expect(await world.events({ reason: 'StartupTaintRemoved' })).toEqual([]);
    expect(await taintsOf('unasked')).toEqual(FOREIGN);
  });

  it('loses it when an Eip has its address there, with every effect that it has', async () => {
    const labels = { ...MANAGED, gateway: 'a' };
    await addTainted('n1', { labels, taints: [OURS, THEIRS, { ...OURS, effect: 'NoExecute' }] });
    await addTainted('n2', { labels });
    await world.addEip('out', { selector: { node: { selector: { gateway: 'a' } } } });
    await world.operator(ON);
    await untilRemoved('n1');
    expect((await world.eip('out'))?.status?.['resourceId']).toBe('n1');
    expect(await taintsOf('n1')).toEqual(FOREIGN);
    expect(await hasTaint('n2')).toBe(true);
  });

  it('loses it where Cilium’s own operator gave the address, once we see it there', async () => {
    const [ip = ''] = world.addPool(1, POOL);
    const status = { eni: { enis: { 'eni-1': { id: 'eni-1' } } } };
    await addTainted('n1', { tags: POOL, status });
    await world.operator(ON);
    await sleep(1_500);
    expect(await hasTaint('n1')).toBe(true);
    const { addresses, interfaces } = world.ec2.snapshot();
    const primary = interfaces.find(({ attachment }) => attachment?.instanceId === world.instanceOf('n1'));
    const place = { interfaceId: primary?.id ?? '', privateIp: primary?.privateIps[0] ?? '' };
    world.ec2.associate({ allocationId: addresses[0]?.allocationId ?? '', ...place });
    const patch = { ...status, ipam: { 'assigned-static-ip': ip } };
    await world.cluster.api.patchStatus('/apis/cilium.io/v2/ciliumnodes/n1', patch);
    await untilRemoved('n1');
  });

  it('waits for its own status to name the address, where that is asked for', async () => {
    world.addPool(1, POOL);
    await addTainted('n1', { tags: POOL });
    await world.operator(['--startup-taint=node-status']);
    const ip = await world.untilAssigned('n1');
    await sleep(1_500);
    expect(await hasTaint('n1')).toBe(true);
    await world.cluster.api.patchStatus(nodePath('n1'), { addresses: [{ type: 'ExternalIP', address: ip }] });
    await untilRemoved('n1');
  });

  it('loses it after a restart, too, and then nothing more is written', async () => {
    world.addPool(1, POOL);
    await addTainted('n1', { tags: POOL });
    const first = await world.operator();
    await world.untilAssigned('n1');
    await sleep(500);
    expect(await hasTaint('n1')).toBe(true); // Off, nothing touches it.
    await first.stop();
    await world.operator(ON);
    await untilRemoved('n1');
    const before = (await world.cluster.api.find<NodeObject>(nodePath('n1')))?.metadata.resourceVersion;
    await sleep(2_500);
    expect((await world.cluster.api.find<NodeObject>(nodePath('n1')))?.metadata.resourceVersion).toBe(before);
  });

  it('loses it, and it alone, while somebody else changes the other taints all the time', async () => {
    const count = 12;
    const names = Array.from({ length: count }, (_, n) => `n${n}`);
    world.addPool(count, POOL);
    for (const name of names) await addTainted(name, { tags: POOL, taints: [THEIRS, OURS] });
    const stop = new AbortController();
    const writers = names.map((name) => toggleForeign(name, stop.signal));
    await world.operator(ON);
    await Promise.all(names.map((name) => untilRemoved(name, 20_000)));
    stop.abort();
    const last = await Promise.all(writers);
    expect(await Promise.all(names.map(taintsOf))).toEqual(last);
  }, 40_000);

  it('costs nobody an address where the right to remove it is missing, and that is said once', async () => {
    world.addPool(3, POOL);
    for (const name of ['n1', 'n2', 'n3']) await addTainted(name, { tags: POOL });
    const operator = await world.operator(['--sources=cilium-node', ...ON], { kubeconfig: withoutRight });
    for (const name of ['n1', 'n2', 'n3']) await world.untilAssigned(name);
    await sleep(3_000);
    expect(await hasTaint('n1')).toBe(true);
    const said = operator
      .log()
      .filter(({ message }) => String(message).includes('the right to patch nodes is missing'));
    expect(said).toHaveLength(1);
  });
});

/** Puts a taint in front of the others and takes it off again, over and over; answers the taints that are there at the end. */
async function toggleForeign(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const extra = { key: 'busy', value: 'x', effect: 'NoSchedule' };
  for (let isThere = true; !signal.aborted; isThere = !isThere) {
    const body = isThere
      ? [{ op: 'add', path: '/spec/taints/0', value: extra }]
      : [
          { op: 'test', path: '/spec/taints/0/key', value: extra.key },
          { op: 'remove', path: '/spec/taints/0' },
        ];
    await world.cluster.api.patch(nodePath(name), body, { type: 'json' });
    await sleep(20);
  }
  return taintsOf(name);
}
