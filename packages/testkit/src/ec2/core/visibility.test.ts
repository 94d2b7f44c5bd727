import { describe, expect, it } from '@jest/globals';
import { valueAt } from '../query-client.ts';
import { createTestAccount } from './test-account.ts';

describe('visibility', () => {
  it('B47: shows reads the world of a while ago, while writes act on the newest', async () => {
    const account = createTestAccount({ settings: { visibility: { staleMs: 5000 } } });
    const [target] = account.ec2.addInstance({}).interfaces;
    if (target === undefined) throw new Error('no interface');
    const { allocationId } = account.ec2.addAddress({});
    await account.clock.advance(5000);
    await account.associate(allocationId, target);
    expect(await account.addressIds(['association-id', '*'])).toEqual([]);
    expect(
      await account.code('AssociateAddress', {
        AllocationId: allocationId,
        NetworkInterfaceId: account.ec2.addInstance({}).interfaces[0]?.id ?? '',
        AllowReassociation: 'false',
      }),
    ).toBe('Resource.AlreadyAssociated');
    await account.clock.advance(4999);
    expect(await account.addressIds(['association-id', '*'])).toEqual([]);
    await account.clock.advance(1);
    expect(await account.addressIds(['association-id', '*'])).toEqual([allocationId]);
  });

  it('B47: may be stale for some reads only', async () => {
    const account = createTestAccount();
    const { allocationId } = account.ec2.addAddress({ tags: { pool: 'x' } });
    account.ec2.injectFault({ kind: 'stale', action: 'DescribeAddresses', ms: 1000, times: 1 });
    await account.clock.advance(10);
    await account.ok('CreateTags', { 'ResourceId.1': allocationId, 'Tag.1.Key': 'pool', 'Tag.1.Value': 'y' });
    expect(await account.addressIds(['tag:pool', 'x'])).toEqual([allocationId]);
    expect(await account.addressIds(['tag:pool', 'x'])).toEqual([]);
  });

  it('B46: hides a new address from reads and writes until its time has come, not one that was there before', async () => {
    const account = createTestAccount({ settings: { visibility: { hideNewMs: 10_000 } } });
    const [target] = account.ec2.addInstance({}).interfaces;
    const old = account.ec2.addAddress({}).allocationId;
    const allocationId = valueAt(await account.ok('AllocateAddress'), 'allocationId') ?? '';
    const associate = () =>
      account.code('AssociateAddress', { AllocationId: allocationId, NetworkInterfaceId: target?.id ?? '' });
    expect(await account.addressIds()).toEqual([old]);
    expect(await account.code('DescribeAddresses', { 'AllocationId.1': allocationId })).toBe(
      'InvalidAllocationID.NotFound',
    );
    expect(await associate()).toBe('InvalidAllocationID.NotFound');
    await account.clock.advance(10_000);
    expect(await account.addressIds()).toEqual([old, allocationId].toSorted());
    expect(await associate()).toBe('OK');
  });
});
