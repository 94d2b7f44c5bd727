import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startChaosProxy, startWorld } from '@static-ip/testkit';
import type { ChaosProxy, World } from '@static-ip/testkit';

const POOL = { pool: 'a' };

let world: World;
let proxy: ChaosProxy;
beforeAll(async () => {
  world = await startWorld();
  proxy = await startChaosProxy(world.cluster);
});
beforeEach(async () => {
  await proxy.pass();
  await world.reset();
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('what is new', () => {
  it('B46: may be hidden for seconds, without a warning and with one Associate', async () => {
    world.addPool(1, POOL);
    await world.operator();
    // The instance is younger than what these reads show.
    world.ec2.injectFault({ kind: 'stale', action: 'DescribeNetworkInterfaces', ms: 4_000 });
    await world.addNode({ name: 'hidden', tags: POOL });
    await world.untilAssigned('hidden', 20_000);
    expect((await world.events({ name: 'hidden' })).filter(({ type }) => type === 'Warning')).toEqual([]);
    expect(world.calls('AssociateAddress')).toBe(1);
  }, 40_000);

  it('B46: does not hold up what is known already', async () => {
    world.addPool(21, POOL);
    await world.addNode({ name: 'unknown', instanceId: 'i-00000000000000bad', tags: POOL });
    world.ec2.setInstanceState({ instanceId: 'i-00000000000000bad', state: 'terminated' });
    const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
    for (const name of names) await world.addNode({ name, tags: POOL });
    await world.operator();
    await Promise.all(names.map((name) => world.untilAssigned(name)));
    expect(await world.assigned('unknown')).toBeUndefined();
  });

  it('B15: is served before its Node is ready, since it may need the address to get there', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'booting', tags: POOL });
    await world.cluster.api.patchStatus('/api/v1/nodes/booting', {
      conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }],
    });
    await world.operator();
    await world.untilAssigned('booting');
  });
});

describe('an association that is gone already', () => {
  it('B23: is not taken off again, and somebody else’s is never touched', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    const ip = await world.untilAssigned('n1');
    const address = world.ec2.snapshot().addresses.find(({ publicIp }) => publicIp === ip);
    const other = world.ec2.addInstance({ id: 'i-0000000000000ffff' }).interfaces[0];
    const patch = { spec: { ipam: { 'static-ip-tags': null } } };
    await world.cluster.api.patch('/apis/cilium.io/v2/ciliumnodes/n1', patch);
    world.ec2.disassociate({ allocationId: address?.allocationId ?? '' });
    world.ec2.associate({
      allocationId: address?.allocationId ?? '',
      interfaceId: other?.id ?? '',
      privateIp: other?.privateIps[0] ?? '',
    });
    await eventually(async () => (await world.assigned('n1')) === undefined, { timeoutMs: 8_000 });
    expect(world.calls('DisassociateAddress')).toBe(0);
  });
});

describe('the objects as the API server shows them', () => {
  it('B51: cost nothing when they are listed again and nothing has changed', async () => {
    world.addPool(5, POOL);
    for (let n = 0; n < 5; n++) await world.addNode({ name: `n${n}`, tags: POOL });
    const kubeconfig = world.cluster.writeKubeconfig({ server: proxy.url });
    await world.operator(['--resync-interval', '30s', '--lease-duration', '30s'], { kubeconfig });
    for (let n = 0; n < 5; n++) await world.untilAssigned(`n${n}`);
    await sleep(500);
    world.ec2.forget();
    proxy.clearJournal();
    proxy.failWatches({}, 410);
    proxy.cutConnections();
    await eventually(() => proxy.requests({ method: 'GET' }).length > 2, { timeoutMs: 8_000 });
    await sleep(1_500);
    expect(world.ec2.journal()).toEqual([]);
    const writes = proxy.requests({}).filter(({ method, path }) => method !== 'GET' && !path.includes('/leases/'));
    expect(writes).toEqual([]);
  });

  it('B53: keep the fields that other writers own, also those that no schema of ours knows', async () => {
    world.addPool(1, POOL);
    const eni = { 'vpc-id': 'vpc-1', 'subnet-tags': { a: 'b' } };
    const status = { ipam: { 'operator-status': { error: 'theirs' }, used: { '10.0.0.9': { owner: 'ns/pod' } } } };
    await world.addNode({ name: 'n1', tags: POOL, eni, status });
    await world.operator();
    const ip = await world.untilAssigned('n1');
    const seen = await world.ciliumNode('n1');
    expect(seen?.spec.eni).toMatchObject(eni);
    expect(seen?.status?.ipam).toMatchObject({ ...status.ipam, 'assigned-static-ip': ip });
  });
});

describe('a cluster without CiliumNodes', () => {
  it('is waited for: not ready with the reason, and served as soon as the CRD is there', async () => {
    const other = await startWorld({ crds: 'none' });
    try {
      const operator = await other.operator();
      const readiness = async (): Promise<string> => {
        const response = await fetch(`${operator.healthUrl}/readyz`);
        return `${response.status} ${await response.text()}`;
      };
      await eventually(async () => (await readiness()).includes('does not serve ciliumnodes'), { timeoutMs: 8_000 });
      expect(await readiness()).toMatch(/^503/);
      await other.installCrds();
      await eventually(async () => (await readiness()).startsWith('200'), { timeoutMs: 10_000 });
      other.addPool(1, POOL);
      await other.addNode({ name: 'n1', tags: POOL });
      await other.untilAssigned('n1');
    } finally {
      await other.stop();
    }
  }, 60_000);
});
