import { describe, expect, it } from '@jest/globals';
import { itemsAt, valueAt } from '../query-client.ts';
import { createTestAccount, filterParams } from './test-account.ts';
import type { TestAccount } from './test-account.ts';

async function stateOf(account: TestAccount, id: string): Promise<string | undefined> {
  const reply = await account.ok('DescribeInstances', { 'InstanceId.1': id });
  return valueAt(itemsAt(reply, 'reservationSet')[0], 'instancesSet', 'item', 0, 'instanceState', 'name');
}

function withAddress(account: TestAccount) {
  const instance = account.ec2.addInstance({
    interfaces: [{ privateIp: '10.0.0.10', secondaryIps: ['10.0.0.11'] }, {}],
  });
  const { allocationId } = account.ec2.addAddress({});
  const interfaceId = instance.interfaces[0]?.id ?? '';
  account.ec2.associate({ allocationId, interfaceId, privateIp: '10.0.0.11' });
  return { id: instance.id, interfaceId, otherInterfaceId: instance.interfaces[1]?.id ?? '', allocationId };
}

describe('instances', () => {
  it('B14: free their addresses when terminated, after a while; the address stays allocated and the instance lingers', async () => {
    const account = createTestAccount({ settings: { instanceTransitionMs: 3000 } });
    const { id, interfaceId, allocationId } = withAddress(account);
    await account.ok('TerminateInstances', { 'InstanceId.1': id });
    expect(await stateOf(account, id)).toBe('shutting-down');
    await account.clock.advance(2999);
    expect(await account.addressIds(['instance-id', id])).toEqual([allocationId]);
    await account.clock.advance(1);
    expect(await account.addressIds(['instance-id', id])).toEqual([]);
    expect(await account.addressIds()).toEqual([allocationId]);
    expect(await stateOf(account, id)).toBe('terminated');
    expect(
      await account.code('AssociateAddress', { AllocationId: allocationId, NetworkInterfaceId: interfaceId }),
    ).toBe('InvalidNetworkInterfaceID.NotFound');
    expect(await account.code('TerminateInstances', { 'InstanceId.1': id })).toBe('OK');
    expect(await account.code('StartInstances', { 'InstanceId.1': id })).toBe('IncorrectInstanceState');
  });

  it('keep their addresses when stopped and started', async () => {
    const account = createTestAccount();
    const { id, allocationId } = withAddress(account);
    await account.ok('StopInstances', { 'InstanceId.1': id });
    await account.clock.advance(1000);
    expect(await stateOf(account, id)).toBe('stopped');
    expect(await account.addressIds(['instance-id', id])).toEqual([allocationId]);
    await account.ok('StartInstances', { 'InstanceId.1': id });
    expect(await stateOf(account, id)).toBe('pending');
    await account.clock.advance(1000);
    expect(await stateOf(account, id)).toBe('running');
  });

  it('are found by state, zone, private IP and tag', async () => {
    const account = createTestAccount();
    const { id } = account.ec2.addInstance({
      zone: 'us-east-1b',
      interfaces: [{ privateIp: '10.9.0.1' }],
      tags: { Name: 'a' },
    });
    account.ec2.addInstance({ state: 'stopped' });
    for (const filter of [
      ['instance-state-name', 'running'],
      ['availability-zone', 'us-east-1b'],
      ['private-ip-address', '10.9.0.1'],
      ['tag:Name', 'a'],
    ] as const) {
      const found = itemsAt(await account.ok('DescribeInstances', filterParams(filter)), 'reservationSet');
      expect(found.map((reservation) => valueAt(reservation, 'instancesSet', 'item', 0, 'instanceId'))).toEqual([id]);
    }
  });
});

describe('private IPs', () => {
  it('take their address along when they move to another interface', async () => {
    const account = createTestAccount();
    const { interfaceId, otherInterfaceId, allocationId } = withAddress(account);
    account.ec2.movePrivateIp({ from: interfaceId, to: otherInterfaceId, privateIp: '10.0.0.11' });
    expect(await account.addressIds(['network-interface-id', otherInterfaceId])).toEqual([allocationId]);
    expect(await account.addressIds(['network-interface-id', interfaceId])).toEqual([]);
  });

  it('free their address when they are taken from the interface', async () => {
    const account = createTestAccount();
    const { interfaceId } = withAddress(account);
    account.ec2.setPrivateIps({ interfaceId, privateIps: ['10.0.0.10'] });
    expect(await account.addressIds(['association-id', '*'])).toEqual([]);
  });
});
