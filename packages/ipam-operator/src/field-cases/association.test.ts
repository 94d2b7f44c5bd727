import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startWorld } from '@static-ip/testkit';
import type { World } from '@static-ip/testkit';

const POOL = { pool: 'a' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => world.reset());
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

function primaryOf(name: string): { id: string; privateIp: string } {
  const found = world.ec2
    .snapshot()
    .interfaces.find(
      ({ attachment }) => attachment?.instanceId === world.instanceOf(name) && attachment.deviceIndex === 0,
    );
  const privateIp = found?.privateIps[0];
  if (found === undefined || privateIp === undefined) throw new Error(`no primary interface of ${name}`);
  return { id: found.id, privateIp };
}

async function untilEvent(name: string, reason: string): Promise<string> {
  return eventually(
    async () => {
      const [event] = await world.events({ name, reason });
      return event?.note ?? false;
    },
    { timeoutMs: 10_000 },
  );
}

describe('an address is attached', () => {
  it.each([[[0, 1, 2]], [[0, 2, 1]], [[1, 0, 2]], [[1, 2, 0]], [[2, 0, 1]], [[2, 1, 0]]])(
    'B16, B17: to device 0 of an instance with interfaces listed as %j',
    async (order) => {
      const id = 'i-0000000000000multi'.slice(0, 19);
      world.ec2.addInstance({ id, interfaces: order.map((deviceIndex) => ({ deviceIndex })) });
      const [ip] = world.addPool(1, POOL);
      await world.addNode({ name: 'n1', instanceId: id, tags: POOL });
      await world.operator();
      expect(await world.untilAssigned('n1')).toBe(ip);
      expect(world.ec2.journal({ action: 'AssociateAddress' }).filter(({ params }) => 'InstanceId' in params)).toEqual(
        [],
      );
    },
  );

  it('B17: not again when the primary interface already holds one of the pool', async () => {
    const [ip] = world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    const { id: interfaceId, privateIp } = primaryOf('n1');
    const [address] = world.ec2.snapshot().addresses;
    world.ec2.associate({ allocationId: address?.allocationId ?? '', interfaceId, privateIp });
    await world.operator();
    expect(await world.untilAssigned('n1')).toBe(ip);
    expect(world.calls('AssociateAddress')).toBe(0);
  });

  it('B18: to an instance that is still pending, as soon as it can take one, without a warning', async () => {
    world.addPool(1, POOL);
    world.ec2.injectFault({ kind: 'error', action: 'AssociateAddress', code: 'IncorrectInstanceState', times: 2 });
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    await world.untilAssigned('n1');
    expect((await world.events({ name: 'n1' })).filter(({ type }) => type === 'Warning')).toEqual([]);
    expect(world.calls('AssociateAddress')).toBe(3);
  });

  it('B18: not to an instance that is gone; the address serves the next one', async () => {
    const [ip] = world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    world.ec2.setInstanceState({ instanceId: world.instanceOf('n1'), state: 'terminated' });
    await world.addNode({ name: 'n2', tags: POOL });
    await world.operator();
    expect(await world.untilAssigned('n2')).toBe(ip);
    expect(await world.assigned('n1')).toBeUndefined();
  });

  it('B20: not in place of somebody else’s address', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    const foreign = world.ec2.addAddress({ tags: { team: 'other' } });
    const { id: interfaceId, privateIp } = primaryOf('n1');
    world.ec2.associate({ allocationId: foreign.allocationId, interfaceId, privateIp });
    await world.operator();
    expect(await untilEvent('n1', 'TargetOccupied')).toContain(foreign.publicIp);
    expect(world.calls('AssociateAddress')).toBe(0);
    expect(await world.assigned('n1')).toBeUndefined();
  });

  it('B20: in place of an automatic address, which is nobody’s', async () => {
    world.ec2.addInstance({ id: 'i-00000000000000auto'.slice(0, 19), autoPublicIp: true });
    world.addPool(1, POOL);
    await world.addNode({ name: 'n1', instanceId: 'i-00000000000000auto'.slice(0, 19), tags: POOL });
    await world.operator();
    await world.untilAssigned('n1');
  });

  it('B22: once, when the answer is lost after the effect', async () => {
    world.addPool(2, POOL);
    world.ec2.injectFault({ kind: 'reset-after-effect', action: 'AssociateAddress' });
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    await world.untilAssigned('n1');
    expect(world.calls('AssociateAddress')).toBe(1);
  });

  it('finds the instance by the provider id of the Node where Cilium names none', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'n1', withoutInstanceId: true, tags: POOL });
    await world.operator();
    await world.untilAssigned('n1');
  });
});

describe('drift is repaired', () => {
  it('puts an address back that was pulled away, the same one', async () => {
    world.addPool(2, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    const ip = await world.untilAssigned('n1');
    const allocationId = world.ec2.snapshot().addresses.find(({ publicIp }) => publicIp === ip)?.allocationId ?? '';
    world.ec2.disassociate({ allocationId });
    await eventually(() => world.held('n1') === ip, { timeoutMs: 5_000 });
    expect(await world.assigned('n1')).toBe(ip);
  });

  it('swaps to another pool when the tags change', async () => {
    world.addPool(1, POOL);
    const [other] = world.addPool(1, { pool: 'b' });
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    await world.untilAssigned('n1');
    await world.cluster.api.patch('/apis/cilium.io/v2/ciliumnodes/n1', {
      spec: { ipam: { 'static-ip-tags': { pool: 'b' } } },
    });
    await eventually(async () => (await world.assigned('n1')) === other && world.held('n1') === other, {
      timeoutMs: 5_000,
    });
  });

  it('B04: detaches after the grace time when the tags are gone, not while they are away for a moment', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator(['--removed-tags-grace', '3s']);
    const ip = await world.untilAssigned('n1');
    const setTags = (tags: unknown): Promise<unknown> =>
      world.cluster.api.patch('/apis/cilium.io/v2/ciliumnodes/n1', { spec: { ipam: { 'static-ip-tags': tags } } });
    await setTags(null);
    await untilEvent('n1', 'TagsRemoved');
    await setTags(POOL);
    await setTags(null);
    expect([world.held('n1'), await world.assigned('n1')]).toEqual([ip, ip]);
    expect(world.calls('DisassociateAddress')).toBe(0);
    await eventually(async () => (await world.assigned('n1')) === undefined, { timeoutMs: 8_000 });
    expect(world.held('n1')).toBeUndefined();
    expect(world.calls('DisassociateAddress')).toBe(1);
  });

  it('reports an address that somebody else put in place of ours, and does not fight', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    const ip = await world.untilAssigned('n1');
    const foreign = world.ec2.addAddress({ tags: { team: 'other' } });
    const { id: interfaceId, privateIp } = primaryOf('n1');
    world.ec2.associate({ allocationId: foreign.allocationId, interfaceId, privateIp });
    await untilEvent('n1', 'TargetOccupied');
    await eventually(async () => (await world.assigned('n1')) === undefined, { timeoutMs: 5_000 });
    expect(await untilEvent('n1', 'AddressLost')).toContain(ip);
    expect(world.calls('AssociateAddress')).toBe(1);
    expect(world.held('n1')).toBe(foreign.publicIp);
  });
});

describe('a pool smaller than demand', () => {
  it('B14: makes the younger node wait, and serves it when the older one goes', async () => {
    const [ip] = world.addPool(1, POOL);
    await world.addNode({ name: 'old', tags: POOL });
    await world.operator();
    await world.untilAssigned('old');
    await world.addNode({ name: 'new', tags: POOL });
    expect(await untilEvent('new', 'PoolExhausted')).toContain('1 matches, 0 free');
    world.ec2.terminate({ instanceId: world.instanceOf('old'), afterMs: 500 });
    await world.cluster.api.delete('/apis/cilium.io/v2/ciliumnodes/old');
    await world.cluster.api.delete('/api/v1/nodes/old');
    expect(await world.untilAssigned('new')).toBe(ip);
  });

  it('B14: costs one read per interval, however many wait', async () => {
    for (let n = 0; n < 30; n++) await world.addNode({ name: `n${n}`, tags: POOL });
    await world.operator();
    await untilEvent('n29', 'NoAddressMatches');
    world.ec2.forget();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(world.calls('DescribeAddresses')).toBeLessThanOrEqual(4);
    expect(world.calls('DescribeAddresses')).toBeGreaterThanOrEqual(2);
  });

  it('serves those who wait in the order of their age', async () => {
    const names = ['c', 'a', 'b'];
    for (const name of names) {
      await world.addNode({ name, tags: POOL });
      // Creation times are whole seconds.
      await new Promise((resolve) => setTimeout(resolve, 1_050));
    }
    await world.operator();
    for (const name of names) await untilEvent(name, 'NoAddressMatches');
    for (const name of names) {
      world.addPool(1, POOL);
      await world.untilAssigned(name);
    }
  });

  it('takes the address off a node whose objects both went while its instance lives', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    await world.untilAssigned('n1');
    await world.cluster.api.delete('/apis/cilium.io/v2/ciliumnodes/n1');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(world.held('n1')).toBeDefined();
    await world.cluster.api.delete('/api/v1/nodes/n1');
    await eventually(() => world.held('n1') === undefined, { timeoutMs: 8_000 });
    expect(world.calls('DisassociateAddress')).toBe(1);
  });
});
