import { describe, expect, it } from '@jest/globals';
import { listAddresses, toAddress } from './addresses.ts';
import type { Ec2Address } from './ec2-calls.ts';
import { fakeCalls } from './fake-calls.test.fixture.ts';
import { literal } from './filters.ts';

const live = new AbortController().signal;
const base: Ec2Address = {
  AllocationId: 'eipalloc-1',
  PublicIp: '203.0.113.1',
  Domain: 'vpc',
  NetworkBorderGroup: 'us-east-1',
  Tags: [{ Key: 'pool', Value: 'a' }],
};

describe('an address of EC2', () => {
  it('is free when nothing holds it, also where empty texts stand for absent fields', () => {
    const free = { attachment: undefined, reserved: undefined, location: 'us-east-1', tags: { pool: 'a' } };
    expect(toAddress(base)).toMatchObject([free]);
    expect(toAddress({ ...base, InstanceId: '', NetworkInterfaceId: '', AssociationId: '' })).toMatchObject([free]);
  });

  it('B10: is reserved when a service manages it, or an interface holds it without an association', () => {
    expect(toAddress({ ...base, ServiceManaged: 'nlb' })).toMatchObject([{ reserved: 'managed by the service nlb' }]);
    expect(toAddress({ ...base, NetworkInterfaceId: 'eni-nat' })).toMatchObject([{ reserved: 'held by eni-nat' }]);
  });

  it('is attached by its association', () => {
    const record = { ...base, AssociationId: 'eipassoc-1', NetworkInterfaceId: 'eni-1', PrivateIpAddress: '10.0.0.1' };
    expect(toAddress(record)).toMatchObject([
      {
        reserved: undefined,
        attachment: { id: 'eipassoc-1', addressId: 'eipalloc-1', interfaceId: 'eni-1', privateIp: '10.0.0.1' },
      },
    ]);
  });

  it.each([
    ['the carrier', { CarrierIp: '198.51.100.1', PublicIp: '' }, '198.51.100.1'],
    ['the customer', { CustomerOwnedIp: '198.51.100.2' }, '198.51.100.2'],
    ['Amazon', {}, '203.0.113.1'],
  ])('shows the address of %s', (_, over, ip) => {
    expect(toAddress({ ...base, ...over })).toMatchObject([{ ip }]);
  });

  it('B05: is none without an allocation id, without an IPv4 address, or outside a VPC', () => {
    expect(toAddress({ ...base, AllocationId: '' })).toEqual([]);
    expect(toAddress({ ...base, PublicIp: '203.0.113' })).toEqual([]);
    expect(toAddress({ ...base, Domain: 'standard' })).toEqual([]);
  });
});

describe('listing addresses', () => {
  it('B05, B06: keeps only exact matches, whatever EC2 answers, sorted by id', async () => {
    const addresses = [
      { ...base, AllocationId: 'eipalloc-3' },
      { ...base, AllocationId: 'eipalloc-2', Tags: [{ Key: 'pool', Value: 'ab' }] },
      { ...base, AllocationId: 'eipalloc-1' },
      { ...base, AllocationId: 'eipalloc-0', Tags: [{ Key: 'Pool', Value: 'a' }] },
    ];
    const found = await listAddresses(fakeCalls({ addresses }).calls, { by: 'tags', tags: { pool: 'a' } }, live);
    expect(found.map(({ id }) => id)).toEqual(['eipalloc-1', 'eipalloc-3']);
  });

  it('B05: asks nothing for a selection that is empty', async () => {
    const { calls, asked } = fakeCalls({});
    await expect(listAddresses(calls, { by: 'tags', tags: {} }, live)).rejects.toMatchObject({ code: 'invalid' });
    expect(await listAddresses(calls, { by: 'ids', ids: [] }, live)).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('B06: escapes what EC2 takes for wildcards', () => {
    expect(literal(String.raw`a*b?c\d`)).toBe(String.raw`a\*b\?c\\d`);
  });

  it('asks by one filter for each tag, and for at most 200 values in a call', async () => {
    const { calls, asked } = fakeCalls({});
    await listAddresses(calls, { by: 'tags', tags: { pool: 'a', tier: 'b' } }, live);
    await listAddresses(calls, { by: 'ids', ids: Array.from({ length: 201 }, (_, n) => `eipalloc-${n}`) }, live);
    expect(asked[0]?.filters).toEqual([
      { name: 'tag:pool', values: ['a'] },
      { name: 'tag:tier', values: ['b'] },
    ]);
    expect(asked.slice(1).map(({ filters }) => [filters[0]?.name, filters[0]?.values.length])).toEqual([
      ['allocation-id', 200],
      ['allocation-id', 1],
    ]);
  });
});
