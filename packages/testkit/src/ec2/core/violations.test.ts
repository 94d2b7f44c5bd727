import { describe, expect, it } from '@jest/globals';
import { valueAt } from '../query-client.ts';
import { CALLER, createTestAccount } from './test-account.ts';
import type { TestAccount } from './test-account.ts';

function rules(account: TestAccount): string[] {
  return account.ec2.violations().map(({ rule }) => rule);
}

function target(account: TestAccount) {
  const [found] = account.ec2.addInstance({}).interfaces;
  if (found === undefined) throw new Error('no interface');
  return found;
}

const OWNED = {
  'TagSpecification.1.ResourceType': 'elastic-ip',
  'TagSpecification.1.Tag.1.Key': 'eip.materialize.cloud/eip_uid',
  'TagSpecification.1.Tag.1.Value': 'uid-1',
};

describe('violations', () => {
  it('are none in a careful life: allocate, associate, swap, disassociate, release', async () => {
    const account = createTestAccount();
    const place = target(account);
    const own = valueAt(await account.ok('AllocateAddress', OWNED), 'allocationId') ?? '';
    await account.associate(own, place);
    const pooled = account.ec2.addAddress({ tags: { pool: 'x' } }).allocationId;
    const associationId = await account.associate(pooled, place);
    await account.ok('DisassociateAddress', { AssociationId: associationId });
    await account.ok('ReleaseAddress', { AllocationId: own });
    expect(account.ec2.violations()).toEqual([]);
  });

  it.each([
    ['reassociation-allowed', { AllowReassociation: 'true' }],
    ['instance-id-form', { InstanceId: 'i-0404' }],
    ['public-ip-form', { PublicIp: '198.18.0.1' }],
  ])('B08 B16: name %s for an Associate with %j, even one that is refused', async (rule, change) => {
    const account = createTestAccount();
    const place = target(account);
    const { allocationId } = account.ec2.addAddress({});
    await account.code('AssociateAddress', {
      AllocationId: allocationId,
      NetworkInterfaceId: place.id,
      PrivateIpAddress: place.privateIps[0] ?? '',
      AllowReassociation: 'false',
      ...change,
    });
    expect(rules(account)).toEqual([rule]);
  });

  it('B08 B19: name what is missing from an Associate, also from one that a fault refuses', async () => {
    const account = createTestAccount();
    account.ec2.injectFault({ kind: 'error', action: 'AssociateAddress', code: 'InternalError', status: 500 });
    expect(await account.code('AssociateAddress', { AllocationId: 'eipalloc-0404' })).toBe('InternalError');
    expect(rules(account)).toEqual(['reassociation-allowed', 'no-interface-id', 'no-private-ip']);
  });

  it.each([
    ['somebody outside', {}, {}, ['displaced-foreign']],
    ['another access key', {}, { by: 'AKIAOTHER' }, ['displaced-foreign']],
    ['the caller', {}, { by: CALLER }, []],
    ['somebody outside, declared fair game', { foreign: false }, {}, []],
    ['the caller, declared foreign', { foreign: true }, { by: CALLER }, ['displaced-foreign']],
  ])('B20: of displacing an address that %s associated', async (_who, address, association, expected) => {
    const account = createTestAccount();
    const place = target(account);
    const { allocationId } = account.ec2.addAddress(address);
    account.ec2.associate({ allocationId, interfaceId: place.id, ...association });
    await account.associate(account.ec2.addAddress({}).allocationId, place);
    expect(rules(account)).toEqual(expected);
  });

  it('B08: name an address stolen from where somebody else put it', async () => {
    const account = createTestAccount();
    const { allocationId } = account.ec2.addAddress({});
    account.ec2.associate({ allocationId, interfaceId: target(account).id });
    await account.associate(allocationId, target(account), { AllowReassociation: 'true' });
    expect(rules(account)).toEqual(['reassociation-allowed', 'stolen']);
  });

  it('B10: name a touch of a service’s address', async () => {
    const account = createTestAccount();
    const { allocationId } = account.ec2.addAddress({ serviceManaged: 'nlb' });
    await expect(account.associate(allocationId, target(account))).rejects.toThrow('AuthFailure');
    await account.code('ReleaseAddress', { AllocationId: allocationId });
    expect(rules(account)).toEqual(['touched-service-managed', 'touched-service-managed']);
  });

  it('B23: name a disassociation of somebody else’s association, and an id that is none', async () => {
    const account = createTestAccount();
    const { allocationId } = account.ec2.addAddress({});
    const { id } = account.ec2.associate({ allocationId, interfaceId: target(account).id });
    await account.ok('DisassociateAddress', { AssociationId: id });
    await account.code('DisassociateAddress', { AssociationId: 'my-node' });
    expect(rules(account)).toEqual(['disassociated-foreign', 'malformed-association-id']);
  });

  it.each([
    ['of the pool', { tags: { pool: 'x' } }, ['released-untagged']],
    [
      'of another key',
      { tags: { 'eip.materialize.cloud/eip_uid': 'u' }, createdBy: 'AKIAOTHER' },
      ['released-foreign'],
    ],
    ['declared foreign', { tags: { 'eip.materialize.cloud/eip_uid': 'u' }, foreign: true }, ['released-foreign']],
    ['put there to be taken over', { tags: { 'eip.materialize.cloud/eip_uid': 'u' } }, []],
  ])('B25: of releasing an address %s', async (_which, address, expected) => {
    const account = createTestAccount();
    await account.ok('ReleaseAddress', { AllocationId: account.ec2.addAddress(address).allocationId });
    expect(rules(account)).toEqual(expected);
  });

  it('B28: name an allocation without an owner’s tag', async () => {
    const account = createTestAccount();
    await account.ok('AllocateAddress');
    expect(rules(account)).toEqual(['allocated-without-owner-tag']);
  });

  it('B12: name a second allocation for a claim whose first one can be seen, not while it is hidden', async () => {
    const account = createTestAccount({ settings: { visibility: { hideNewMs: 1000 } } });
    await account.ok('AllocateAddress', OWNED);
    await account.ok('AllocateAddress', OWNED);
    expect(rules(account)).toEqual([]);
    await account.clock.advance(1000);
    await account.ok('AllocateAddress', OWNED);
    expect(rules(account)).toEqual(['allocated-twice']);
  });

  it('B08: name two calls on their way for one address, or for one target', async () => {
    const account = createTestAccount();
    const [first, second] = [target(account), target(account)];
    const [a, b] = [account.ec2.addAddress({}).allocationId, account.ec2.addAddress({}).allocationId];
    account.ec2.injectFault({ kind: 'delay', action: 'AssociateAddress', ms: 100 });
    const calls = [account.associate(a, first), account.associate(a, second), account.associate(b, first)];
    const settled = Promise.allSettled(calls);
    await account.clock.advance(100);
    await settled;
    expect(rules(account)).toEqual(['two-targets-one-address', 'two-addresses-one-target']);
  });
});
