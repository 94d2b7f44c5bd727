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

describe('an address is chosen', () => {
  it('B05: not at all for an empty tag map, and without a call', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'empty', tags: {} });
    await world.addNode({ name: 'asks', tags: POOL });
    await world.operator();
    await world.untilAssigned('asks');
    expect(await world.assigned('empty')).toBeUndefined();
    const filters = world.ec2.journal({ action: 'DescribeAddresses' }).map(({ params }) => params['Filter.1.Name']);
    expect(new Set(filters)).toEqual(new Set(['tag:pool']));
  });

  it('B05: only out of those that really have the tags, whatever the cloud answers', async () => {
    world.addPool(3, { team: 'other' });
    const [wanted] = world.addPool(1, POOL);
    world.ec2.injectFault({ kind: 'ignore-filters', action: 'DescribeAddresses' });
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    expect(await world.untilAssigned('n1')).toBe(wanted);
  });

  it('B06: by its literal tag values', async () => {
    const values = ['a*', 'a?', 'back\\', 'Case', 'x'.repeat(256)];
    for (const value of ['ab', 'abc', 'backslash', 'case', 'x'.repeat(255)]) world.addPool(1, { 'k:/k': value });
    const expected = values.map((value) => world.addPool(1, { 'k:/k': value })[0]);
    for (const [n, value] of values.entries()) await world.addNode({ name: `n${n}`, tags: { 'k:/k': value } });
    await world.operator();
    const got = await Promise.all(values.map((_, n) => world.untilAssigned(`n${n}`)));
    expect(got).toEqual(expected);
  });

  it('B02: with an empty tag value asked for as it is', async () => {
    world.addPool(1, { anton: 'test', kubernetes_cluster: 'some' });
    const [wanted] = world.addPool(1, { anton: 'test', kubernetes_cluster: '' });
    await world.addNode({ name: 'n1', tags: { anton: 'test', kubernetes_cluster: '' } });
    await world.operator();
    expect(await world.untilAssigned('n1')).toBe(wanted);
  });

  it('B08: once per claimant, when all come at the same time', async () => {
    world.addPool(20, POOL);
    world.ec2.injectFault({ kind: 'delay', action: 'AssociateAddress', ms: 1, jitterMs: 500 });
    const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
    await world.operator();
    await Promise.all(names.map((name) => world.addNode({ name, tags: POOL })));
    const ips = await Promise.all(names.map((name) => world.untilAssigned(name)));
    expect(new Set(ips).size).toBe(20);
    expect(world.calls('AssociateAddress')).toBe(20);
    const flags = world.ec2.journal({ action: 'AssociateAddress' }).map(({ params }) => params['AllowReassociation']);
    expect(new Set(flags)).toEqual(new Set(['false']));
  });

  it('B09: after a lost race, by trying the next candidate in the same pass', async () => {
    world.addPool(2, POOL);
    world.ec2.injectFault({ kind: 'error', action: 'AssociateAddress', code: 'Resource.AlreadyAssociated' });
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    await world.untilAssigned('n1');
    expect(world.calls('AssociateAddress')).toBe(2);
    expect((await world.events({ name: 'n1' })).filter(({ type }) => type === 'Warning')).toEqual([]);
  });

  it('B10: never out of those that only look free', async () => {
    const nat = world.ec2.addInterface({ description: 'NAT gateway', requesterManaged: true });
    world.ec2.addAddress({ tags: POOL, heldByInterfaceId: nat.id });
    world.ec2.addAddress({ tags: POOL, borderGroup: 'us-east-1-bos-1' });
    world.ec2.addAddress({ tags: POOL, serviceManaged: 'nlb' });
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    const [event] = await eventually(
      async () => {
        const events = await world.events({ name: 'n1', reason: 'LocationMismatch' });
        return events.length > 0 && events;
      },
      { timeoutMs: 5_000 },
    );
    expect(event?.note).toContain('3 match, 0 free');
    expect(event?.note).toContain('us-east-1-bos-1');
    expect(world.calls('AssociateAddress')).toBe(0);
    const [free] = world.addPool(1, POOL);
    expect(await world.untilAssigned('n1')).toBe(free);
  });

  it('B60: not from a pool that the operator is not told to serve', async () => {
    world.addPool(1, POOL);
    const [allowed] = world.addPool(1, { ...POOL, cluster: 'prod' });
    await world.addNode({ name: 'refused', tags: POOL });
    await world.addNode({ name: 'served', tags: { ...POOL, cluster: 'prod' } });
    await world.operator(['--require-tag', 'cluster=prod']);
    expect(await world.untilAssigned('served')).toBe(allowed);
    const [event] = await world.events({ name: 'refused', reason: 'TagNotAllowed' });
    expect(event?.note).toContain('cluster=prod');
    expect(await world.assigned('refused')).toBeUndefined();
  });
});
