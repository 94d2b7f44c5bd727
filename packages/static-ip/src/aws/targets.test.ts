import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { StaticIpError } from '../errors.ts';
import type { Target, TargetRef } from '../target.ts';
import { createBorderGroups } from './border-groups.ts';
import type { Ec2Interface } from './ec2-calls.ts';
import { fakeCalls } from './fake-calls.test.fixture.ts';
import type { FakeAnswers } from './fake-calls.test.fixture.ts';
import { createPrimaryInterfaces } from './primary-interfaces.ts';
import { resolveTargets } from './targets.ts';

const live = new AbortController().signal;
const node: TargetRef = { kind: 'instance', instanceId: 'i-1' };

function eni(
  id: string,
  over: Partial<Ec2Interface> & { readonly index?: number; readonly card?: number } = {},
): Ec2Interface {
  const { index = 0, card = 0, ...rest } = over;
  const ip = `10.0.0.${id.length}${index}${card}`;
  return {
    NetworkInterfaceId: id,
    AvailabilityZone: 'us-east-1a',
    PrivateIpAddress: ip,
    PrivateIpAddresses: [{ Primary: true, PrivateIpAddress: ip }],
    Attachment: { InstanceId: 'i-1', DeviceIndex: index, NetworkCardIndex: card },
    ...rest,
  };
}

function world(answers: FakeAnswers) {
  const clock = createManualClock({ startMs: 0 });
  const { calls, asked } = fakeCalls({
    zones: [{ ZoneName: 'us-east-1a', NetworkBorderGroup: 'us-east-1' }],
    ...answers,
  });
  const borderGroups = createBorderGroups(calls, clock);
  const primaries = createPrimaryInterfaces(calls);
  const deps = { calls, borderGroups, primaries };
  return { clock, asked, resolve: (refs: readonly TargetRef[]) => resolveTargets(deps, refs, live) };
}

async function targetOf(answers: FakeAnswers, ref: TargetRef): Promise<Target> {
  const [resolution] = await world(answers).resolve([ref]);
  if (resolution === undefined || 'error' in resolution) throw resolution?.error ?? new Error('no answer');
  return resolution.target;
}

async function codeOf(answers: FakeAnswers, ref: TargetRef): Promise<string> {
  const [resolution] = await world(answers).resolve([ref]);
  return resolution !== undefined && 'error' in resolution ? resolution.error.code : 'ok';
}

describe('resolving an instance', () => {
  const cards = [
    eni('eni-a', { index: 0, card: 1 }),
    eni('eni-b', { index: 1 }),
    eni('eni-c', { index: 0 }),
    eni('eni-d', { index: 2 }),
  ];

  it.each(cards.map((_, turn) => ({ order: [...cards.slice(turn), ...cards.slice(0, turn)] })))(
    'B17: takes device 0 on network card 0 in whatever order interfaces come (%#)',
    async ({ order }) => {
      expect((await targetOf({ pages: [order] }, node)).interfaceId).toBe('eni-c');
    },
  );

  it('is not ready without a primary interface, and not found without any', async () => {
    expect(await codeOf({ pages: [[eni('eni-b', { index: 1 })]] }, node)).toBe('notReady');
    expect(await codeOf({ pages: [[]] }, node)).toBe('notFound');
  });

  it('ignores interfaces of other instances in the answer, and finds its own on a later page after an empty one', async () => {
    const other = eni('eni-x', { Attachment: { InstanceId: 'i-2', DeviceIndex: 0 } });
    expect((await targetOf({ pages: [[other], [], [eni('eni-a')]] }, node)).interfaceId).toBe('eni-a');
  });

  it('B20: tells a static address from one that Amazon gave', async () => {
    const ip = { Primary: true, PrivateIpAddress: '10.0.0.1' };
    const held = { AllocationId: 'eipalloc-1', AssociationId: 'eipassoc-1', PublicIp: '203.0.113.1', IpOwnerId: '123' };
    const given = { PublicIp: '203.0.113.2', IpOwnerId: 'amazon' };
    const on = (Association: Ec2Interface['Association']) =>
      targetOf(
        { pages: [[eni('eni-a', { PrivateIpAddress: '10.0.0.1', PrivateIpAddresses: [{ ...ip, Association }] })]] },
        node,
      );
    expect(await on(held)).toMatchObject({
      holding: {
        id: 'eipassoc-1',
        addressId: 'eipalloc-1',
        ip: '203.0.113.1',
        privateIp: '10.0.0.1',
        instanceId: 'i-1',
      },
      automatic: undefined,
    });
    expect(await on(given)).toMatchObject({ holding: undefined, automatic: { ip: '203.0.113.2' } });
  });

  it("takes the interface's own association for that of its primary address where the list has none", async () => {
    const Association = { AllocationId: 'eipalloc-1', AssociationId: 'eipassoc-1', PublicIp: '203.0.113.1' };
    expect((await targetOf({ pages: [[eni('eni-a', { Association })]] }, node)).holding?.addressId).toBe('eipalloc-1');
  });

  it('asks for at most 200 instances in a call', async () => {
    const { asked, resolve } = world({});
    await resolve(Array.from({ length: 450 }, (_, n) => ({ kind: 'instance', instanceId: `i-${n}` })));
    const sizes = asked
      .filter(({ action }) => action === 'DescribeNetworkInterfaces')
      .map(({ filters }) => filters[0]?.values.length);
    expect(sizes).toEqual([200, 200, 50]);
  });
});

describe('resolving a pod', () => {
  const pod: TargetRef = { kind: 'privateIp', instanceId: 'i-1', privateIp: '10.0.9.5' };

  it('B19: finds a secondary address on any interface of the instance, and its own holder only', async () => {
    const Association = { AllocationId: 'eipalloc-9', AssociationId: 'eipassoc-9', PublicIp: '203.0.113.9' };
    const second = eni('eni-b', {
      index: 1,
      Association: { AllocationId: 'eipalloc-1', AssociationId: 'eipassoc-1', PublicIp: '203.0.113.1' },
      PrivateIpAddresses: [{ PrivateIpAddress: '10.0.9.5', Association }, { PrivateIpAddress: '10.0.9.6' }],
    });
    const pages = [[eni('eni-a'), second]];
    expect(await targetOf({ pages }, pod)).toMatchObject({
      interfaceId: 'eni-b',
      holding: { addressId: 'eipalloc-9' },
    });
    const neighbour = await targetOf({ pages }, { ...pod, privateIp: '10.0.9.6' });
    expect(neighbour).toMatchObject({ id: 'eni-b/10.0.9.6', holding: undefined });
  });

  it('finds an address in a delegated /28 prefix, and reads who holds it from the addresses', async () => {
    const prefixed = eni('eni-b', { index: 1, Ipv4Prefixes: [{ Ipv4Prefix: '10.0.9.0/28' }] });
    const address = {
      AllocationId: 'eipalloc-1',
      AssociationId: 'eipassoc-1',
      PublicIp: '203.0.113.1',
      NetworkInterfaceId: 'eni-b',
      PrivateIpAddress: '10.0.9.5',
    };
    const pages = [[eni('eni-a'), prefixed]];
    expect(await targetOf({ pages, addresses: [address] }, pod)).toMatchObject({
      interfaceId: 'eni-b',
      privateIp: '10.0.9.5',
      holding: { id: 'eipassoc-1' },
    });
    expect((await targetOf({ pages, addresses: [] }, pod)).holding).toBeUndefined();
    expect(await codeOf({ pages }, { ...pod, privateIp: '10.0.9.16' })).toBe('notFound');
  });

  it('takes a named branch interface only with a private address that is on it', async () => {
    const branch = eni('eni-branch', {
      Attachment: undefined,
      PrivateIpAddress: '10.0.9.5',
      PrivateIpAddresses: [{ PrivateIpAddress: '10.0.9.5' }],
    });
    const named: TargetRef = { kind: 'privateIp', interfaceId: 'eni-branch', instanceId: 'i-1', privateIp: '10.0.9.5' };
    expect(await targetOf({ pages: [[branch]] }, named)).toMatchObject({
      id: 'eni-branch/10.0.9.5',
      instanceId: 'i-1',
    });
    expect(await codeOf({ pages: [[branch]] }, { ...named, privateIp: '10.0.9.6' })).toBe('notFound');
    expect(await codeOf({ pages: [[]] }, named)).toBe('notFound');
  });

  it('refuses a private address that names neither instance nor interface, or is none', async () => {
    expect(await codeOf({}, { kind: 'privateIp', privateIp: '10.0.9.5' })).toBe('invalid');
    expect(await codeOf({}, { ...pod, privateIp: 'fd00::1' })).toBe('invalid');
  });
});

describe('the border group of a zone', () => {
  it('is asked for once, and again after a minute for a zone that was not in the answer', async () => {
    const pages = [[eni('eni-a')]];
    const { asked, resolve } = world({ pages });
    const [first] = await resolve([node]);
    await resolve([node]);
    expect(first).toMatchObject({ target: { location: 'us-east-1' } });
    expect(asked.filter(({ action }) => action === 'DescribeAvailabilityZones')).toHaveLength(1);
  });

  it('stays unknown while the call is denied, and stops no target', async () => {
    const denied = new StaticIpError('denied', 'no');
    const { clock, asked, resolve } = world({ pages: [[eni('eni-a')]], zones: denied });
    const asks = () => asked.filter(({ action }) => action === 'DescribeAvailabilityZones').length;
    expect(await resolve([node])).toMatchObject([{ target: { interfaceId: 'eni-a', location: undefined } }]);
    await clock.advance(59_000);
    await resolve([node]);
    expect(asks()).toBe(1);
    await clock.advance(1_000);
    await resolve([node]);
    expect(asks()).toBe(2);
  });
});
