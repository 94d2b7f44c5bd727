import { describe, expect, it } from '@jest/globals';
import { itemsAt, valueAt } from '../query-client.ts';
import { createTestAccount, filterParams } from './test-account.ts';

function tagged(key: string, value: string) {
  return {
    'TagSpecification.1.ResourceType': 'elastic-ip',
    'TagSpecification.1.Tag.1.Key': key,
    'TagSpecification.1.Tag.1.Value': value,
  };
}

/** The public IPs of 300 addresses in the order of two reads. */
async function orders(seed: number) {
  const account = createTestAccount({ seed });
  for (let index = 0; index < 300; index++) account.ec2.addAddress({ publicIp: `198.18.${index >> 8}.${index & 255}` });
  const read = async () =>
    itemsAt(await account.ok('DescribeAddresses'), 'addressesSet').map((item) => valueAt(item, 'publicIp'));
  return [await read(), await read()] as const;
}

describe('DescribeAddresses', () => {
  it('B06: takes wildcards in filter values, escaped ones literally, and minds case', async () => {
    const account = createTestAccount();
    const star = account.ec2.addAddress({ tags: { pool: 'a*' } }).allocationId;
    const ab = account.ec2.addAddress({ tags: { pool: 'ab' } }).allocationId;
    const upper = account.ec2.addAddress({ tags: { Pool: 'ab' } }).allocationId;
    expect(await account.addressIds(['tag:pool', 'a*'])).toEqual([star, ab].toSorted());
    expect(await account.addressIds(['tag:pool', String.raw`a\*`])).toEqual([star]);
    expect(await account.addressIds(['tag:Pool', 'ab'])).toEqual([upper]);
    expect(await account.addressIds(['tag-key', 'pool'])).toEqual([star, ab].toSorted());
  });

  it('joins filters with and, the values of one with or, and an empty tag value is a value', async () => {
    const account = createTestAccount();
    const both = account.ec2.addAddress({ tags: { pool: '', team: 'x' } }).allocationId;
    const other = account.ec2.addAddress({ tags: { pool: 'p', team: 'x' } }).allocationId;
    account.ec2.addAddress({ tags: { team: 'x' } });
    const ids = async (...filters: [string, ...string[]][]) =>
      itemsAt(await account.ok('DescribeAddresses', filterParams(...filters)), 'addressesSet').map((item) =>
        valueAt(item, 'allocationId'),
      );
    expect(await ids(['tag:pool', ''], ['tag:team', 'x'])).toEqual([both]);
    expect(new Set(await ids(['tag:pool', '', 'p'], ['tag:team', 'x']))).toEqual(new Set([both, other]));
  });

  it('leaves out what an address does not have: a free one names no association, interface or instance', async () => {
    const account = createTestAccount();
    account.ec2.addAddress({});
    const [free] = itemsAt(await account.ok('DescribeAddresses'), 'addressesSet');
    expect(Object.entries(free ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [name]))).toEqual([
      'publicIp',
      'allocationId',
      'domain',
      'publicIpv4Pool',
      'networkBorderGroup',
    ]);
  });

  it('answers everything at once in an order that differs between calls and repeats with the seed', async () => {
    const [first, second] = await orders(1);
    expect(first).toHaveLength(300);
    expect(new Set(first)).toEqual(new Set(second));
    expect(first).not.toEqual(second);
    expect((await orders(1))[0]).toEqual(first);
    expect((await orders(2))[0]).not.toEqual(first);
  });

  it('B46: fails as a whole for one unknown id, while a filter just leaves it out', async () => {
    const account = createTestAccount();
    const { allocationId, publicIp } = account.ec2.addAddress({});
    expect(
      await account.code('DescribeAddresses', { 'AllocationId.1': allocationId, 'AllocationId.2': 'eipalloc-0404' }),
    ).toBe('InvalidAllocationID.NotFound');
    expect(await account.code('DescribeAddresses', { 'PublicIp.1': publicIp, 'PublicIp.2': '198.19.9.9' })).toBe(
      'InvalidAddress.NotFound',
    );
    expect(await account.addressIds(['allocation-id', allocationId, 'eipalloc-0404'])).toEqual([allocationId]);
  });

  it.each([
    [filterParams(['no-such-filter', 'x']), 'InvalidParameterValue'],
    [
      filterParams(['public-ip', ...Array.from({ length: 201 }, (_unused, index) => `198.18.0.${index}`)]),
      'FilterLimitExceeded',
    ],
    [filterParams(['public-ip']), 'InvalidParameterValue'],
    [{ MaxResults: '5' }, 'UnknownParameter'],
    [{ NextToken: 'x' }, 'UnknownParameter'],
    [{ 'Filters.1.Name': 'x' }, 'UnknownParameter'],
  ])('refuses a call it does not know (case %#) with the code %s', async (params, code) => {
    expect(await createTestAccount().code('DescribeAddresses', params)).toBe(code);
  });
});

describe('AllocateAddress', () => {
  it('applies tags in the same step, or allocates nothing', async () => {
    const account = createTestAccount();
    await account.ok('AllocateAddress', tagged('pool', 'x'));
    expect(await account.addressIds(['tag:pool', 'x'])).toHaveLength(1);
    expect(await account.code('AllocateAddress', tagged('aws:mine', 'x'))).toBe('InvalidParameterValue');
    expect(await account.code('AllocateAddress', tagged('k'.repeat(128), 'x'))).toBe('InvalidParameterValue');
    expect(await account.code('AllocateAddress', tagged('k', 'v'.repeat(257)))).toBe('InvalidParameterValue');
    expect(
      await account.code('AllocateAddress', { ...tagged('k', 'v'), 'TagSpecification.1.ResourceType': 'instance' }),
    ).toBe('InvalidParameterValue');
    expect(await account.addressIds()).toHaveLength(1);
  });

  it('B61: stops at the quota, which addresses of a brought pool do not use up', async () => {
    const account = createTestAccount({ settings: { addressQuota: 2 } });
    account.ec2.addAddress({ pool: 'ipv4pool-ec2-012' });
    account.ec2.addAddress({});
    expect(await account.code('AllocateAddress')).toBe('OK');
    expect(await account.code('AllocateAddress')).toBe('AddressLimitExceeded');
    expect(await account.code('AllocateAddress', { PublicIpv4Pool: 'ipv4pool-ec2-012' })).toBe('OK');
    const attributes = await account.ok('DescribeAccountAttributes', { 'AttributeName.1': 'vpc-max-elastic-ips' });
    expect(
      valueAt(attributes, 'accountAttributeSet', 'item', 0, 'attributeValueSet', 'item', 0, 'attributeValue'),
    ).toBe('2');
  });

  it('says that a dry run would have worked, and allocates nothing', async () => {
    const account = createTestAccount();
    expect(await account.code('AllocateAddress', { DryRun: 'true' })).toBe('DryRunOperation');
    expect(await account.addressIds()).toEqual([]);
    expect(account.ec2.violations()).toEqual([]);
  });

  it('knows only the border groups of its zones', async () => {
    const account = createTestAccount();
    account.ec2.addZone({ name: 'us-east-1-bos-1a', borderGroup: 'us-east-1-bos-1' });
    expect(
      valueAt(await account.ok('AllocateAddress', { NetworkBorderGroup: 'us-east-1-bos-1' }), 'networkBorderGroup'),
    ).toBe('us-east-1-bos-1');
    expect(await account.code('AllocateAddress', { NetworkBorderGroup: 'us-east-1-lax-1' })).toBe(
      'InvalidParameterValue',
    );
  });
});

describe('ReleaseAddress', () => {
  it('is refused while the address is in use, except in the default VPC, where it disassociates', async () => {
    for (const isDefault of [false, true]) {
      const account = createTestAccount();
      account.ec2.addVpc({ isDefault });
      const [target] = account.ec2.addInstance({}).interfaces;
      const { allocationId } = account.ec2.addAddress({});
      account.ec2.associate({ allocationId, interfaceId: target?.id ?? '' });
      expect(await account.code('ReleaseAddress', { AllocationId: allocationId })).toBe(
        isDefault ? 'OK' : 'InvalidIPAddress.InUse',
      );
    }
  });

  it.each([
    [{ locked: true }, {}, 'InvalidAddress.Locked'],
    [{ serviceManaged: 'nlb' }, {}, 'AuthFailure'],
    [{ borderGroup: 'us-east-1-bos-1' }, {}, 'InvalidAddress.NotFound'],
    [{ borderGroup: 'us-east-1-bos-1' }, { NetworkBorderGroup: 'us-east-1-bos-1' }, 'OK'],
    [{}, { NetworkBorderGroup: 'us-east-1-bos-1' }, 'InvalidAddress.NotFound'],
    [{}, { AllocationId: 'eipalloc-0404' }, 'InvalidAllocationID.NotFound'],
  ])('of %j with %j answers %s', async (address, params, code) => {
    const account = createTestAccount();
    const { allocationId } = account.ec2.addAddress(address);
    expect(await account.code('ReleaseAddress', { AllocationId: allocationId, ...params })).toBe(code);
    expect(await account.addressIds()).toHaveLength(code === 'OK' ? 0 : 1);
  });
});

describe('tags', () => {
  it('are added, overwritten and deleted, by value too, and listed', async () => {
    const account = createTestAccount();
    const { allocationId } = account.ec2.addAddress({ tags: { a: '1', 'aws:cloudformation:stack-name': 's' } });
    const change = (action: string, key: string, value?: string) =>
      account.code(action, {
        'ResourceId.1': allocationId,
        'Tag.1.Key': key,
        ...(value === undefined ? {} : { 'Tag.1.Value': value }),
      });
    expect(await change('CreateTags', 'a', '2')).toBe('OK');
    expect(await change('CreateTags', 'b', '')).toBe('OK');
    expect(await change('DeleteTags', 'a', 'not this')).toBe('OK');
    expect(account.ec2.snapshot().addresses[0]?.tags).toEqual({ a: '2', b: '', 'aws:cloudformation:stack-name': 's' });
    expect(await change('DeleteTags', 'a', '2')).toBe('OK');
    const rows = itemsAt(
      await account.ok('DescribeTags', filterParams(['resource-type', 'elastic-ip'], ['key', 'b'])),
      'tagSet',
    );
    expect(rows).toEqual([{ resourceId: allocationId, resourceType: 'elastic-ip', key: 'b', value: '' }]);
    expect(await account.code('CreateTags', { 'ResourceId.1': 'eipalloc-0404', 'Tag.1.Key': 'k' })).toBe(
      'InvalidAllocationID.NotFound',
    );
  });

  it('are at most 50 besides those of AWS', async () => {
    const account = createTestAccount();
    const full = Object.fromEntries(Array.from({ length: 50 }, (_unused, index) => [`k${index}`, '']));
    const { allocationId } = account.ec2.addAddress({ tags: { ...full, 'aws:x': '' } });
    expect(await account.code('CreateTags', { 'ResourceId.1': allocationId, 'Tag.1.Key': 'one more' })).toBe(
      'TagLimitExceeded',
    );
    expect(await account.code('CreateTags', { 'ResourceId.1': allocationId, 'Tag.1.Key': 'k0' })).toBe('OK');
  });
});
