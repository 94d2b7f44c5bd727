import { describe, expect, it } from '@jest/globals';
import { itemsAt, valueAt } from '../query-client.ts';
import { createTestAccount, filterParams } from './test-account.ts';
import type { TestAccount } from './test-account.ts';

async function holdersOn(account: TestAccount, interfaceId: string): Promise<string[]> {
  return account.addressIds(['network-interface-id', interfaceId]);
}

describe('AssociateAddress', () => {
  it('moves an address that is elsewhere unless AllowReassociation is false', async () => {
    const account = createTestAccount();
    const [first, second] = [account.ec2.addInstance({}), account.ec2.addInstance({})].map(
      ({ interfaces }) => interfaces[0],
    );
    const { allocationId } = account.ec2.addAddress({});
    if (first === undefined || second === undefined) throw new Error('no interfaces');
    const before = await account.associate(allocationId, first);
    expect(
      await account.code('AssociateAddress', {
        AllocationId: allocationId,
        NetworkInterfaceId: second.id,
        AllowReassociation: 'false',
      }),
    ).toBe('Resource.AlreadyAssociated');
    expect(await holdersOn(account, first.id)).toEqual([allocationId]);
    await account.ok('AssociateAddress', { AllocationId: allocationId, NetworkInterfaceId: second.id });
    expect(await holdersOn(account, first.id)).toEqual([]);
    expect(await holdersOn(account, second.id)).toEqual([allocationId]);
    expect(await account.code('DisassociateAddress', { AssociationId: before })).toBe('InvalidAssociationID.NotFound');
  });

  it.each([
    [false, 'OK', 'new'],
    [true, 'Resource.AlreadyAssociated', 'old'],
  ])(
    'B20: with AllowReassociation=false and protection of the target %s it answers %s',
    async (reassociationProtectsTarget, code, holder) => {
      const account = createTestAccount({ settings: { reassociationProtectsTarget } });
      const [target] = account.ec2.addInstance({}).interfaces;
      if (target === undefined) throw new Error('no interface');
      const [old, fresh] = [account.ec2.addAddress({}), account.ec2.addAddress({})];
      account.ec2.associate({ allocationId: old.allocationId, interfaceId: target.id });
      expect(
        await account.code('AssociateAddress', {
          AllocationId: fresh.allocationId,
          NetworkInterfaceId: target.id,
          AllowReassociation: 'false',
        }),
      ).toBe(code);
      expect(await holdersOn(account, target.id)).toEqual([holder === 'new' ? fresh.allocationId : old.allocationId]);
      expect(await account.addressIds()).toHaveLength(2);
    },
  );

  it('B20: repeats without effect and with the same id, a new association gets a new one', async () => {
    const account = createTestAccount();
    const [target] = account.ec2.addInstance({}).interfaces;
    if (target === undefined) throw new Error('no interface');
    const { allocationId } = account.ec2.addAddress({});
    const first = await account.associate(allocationId, target);
    expect(await account.associate(allocationId, target)).toBe(first);
    expect(account.ec2.snapshot().remaps).toBe(1);
    await account.ok('DisassociateAddress', { AssociationId: first });
    expect(await account.associate(allocationId, target)).not.toBe(first);
    expect(account.ec2.snapshot().remaps).toBe(2);
  });

  it('B16: refuses an instance id where there are several interfaces, and takes it where there is one', async () => {
    const account = createTestAccount();
    const many = account.ec2.addInstance({ interfaces: [{}, {}, {}] });
    const single = account.ec2.addInstance({});
    const { allocationId } = account.ec2.addAddress({});
    expect(await account.code('AssociateAddress', { AllocationId: allocationId, InstanceId: many.id })).toBe(
      'InvalidInstanceID',
    );
    expect(await account.code('AssociateAddress', { AllocationId: allocationId, InstanceId: single.id })).toBe('OK');
  });

  it('B19: takes the primary private IP when none is given, keeps one address per private IP, refuses an IP of another interface', async () => {
    const account = createTestAccount();
    const [target] = account.ec2.addInstance({
      interfaces: [{ privateIp: '10.0.0.10', secondaryIps: ['10.0.0.11'], prefixes: ['10.0.1.16/28'] }],
    }).interfaces;
    if (target === undefined) throw new Error('no interface');
    const bind = (ip?: string) => {
      const { allocationId } = account.ec2.addAddress({});
      return account.code('AssociateAddress', {
        AllocationId: allocationId,
        NetworkInterfaceId: target.id,
        ...(ip === undefined ? {} : { PrivateIpAddress: ip }),
      });
    };
    expect(await bind()).toBe('OK');
    expect(await bind('10.0.0.11')).toBe('OK');
    expect(await bind('10.0.1.31')).toBe('OK');
    expect(await bind('10.0.1.32')).toBe('InvalidParameterValue');
    expect(await bind('10.0.0.12')).toBe('InvalidParameterValue');
    expect(
      account.ec2
        .snapshot()
        .addresses.flatMap((address) => address.association?.privateIp ?? [])
        .toSorted(),
    ).toEqual(['10.0.0.10', '10.0.0.11', '10.0.1.31']);
  });

  it('B10: needs the border group of the interface, not just the region', async () => {
    const account = createTestAccount();
    account.ec2.addZone({ name: 'us-east-1-bos-1a', borderGroup: 'us-east-1-bos-1' });
    const [local] = account.ec2.addInstance({ zone: 'us-east-1-bos-1a' }).interfaces;
    if (local === undefined) throw new Error('no interface');
    const [regional, matching] = [
      account.ec2.addAddress({}),
      account.ec2.addAddress({ borderGroup: 'us-east-1-bos-1' }),
    ];
    expect(
      await account.code('AssociateAddress', { AllocationId: regional.allocationId, NetworkInterfaceId: local.id }),
    ).toBe('InvalidParameterCombination');
    expect(
      await account.code('AssociateAddress', { AllocationId: matching.allocationId, NetworkInterfaceId: local.id }),
    ).toBe('OK');
  });

  it('needs an internet gateway in the VPC', async () => {
    const account = createTestAccount();
    const vpc = account.ec2.addVpc({ internetGateway: false });
    const subnet = account.ec2.addSubnet({ vpcId: vpc.id });
    const [target] = account.ec2.addInstance({ subnetId: subnet.id }).interfaces;
    const { allocationId } = account.ec2.addAddress({});
    expect(
      await account.code('AssociateAddress', { AllocationId: allocationId, NetworkInterfaceId: target?.id ?? '' }),
    ).toBe('Gateway.NotAttached');
  });

  it.each([
    ['pending', 'IncorrectInstanceState'],
    ['running', 'OK'],
    ['stopping', 'OK'],
    ['stopped', 'OK'],
    ['shutting-down', 'IncorrectInstanceState'],
  ] as const)('B18: to an instance that is %s answers %s', async (state, code) => {
    const account = createTestAccount();
    const [target] = account.ec2.addInstance({ state }).interfaces;
    const { allocationId } = account.ec2.addAddress({});
    expect(
      await account.code('AssociateAddress', { AllocationId: allocationId, NetworkInterfaceId: target?.id ?? '' }),
    ).toBe(code);
  });

  it('B10: refuses addresses and interfaces of AWS services', async () => {
    const account = createTestAccount();
    const nat = account.ec2.addInterface({ requesterManaged: true });
    const [target] = account.ec2.addInstance({}).interfaces;
    const free = account.ec2.addAddress({});
    const balancer = account.ec2.addAddress({ serviceManaged: 'nlb' });
    const gateway = account.ec2.addAddress({ heldByInterfaceId: nat.id });
    expect(
      await account.code('AssociateAddress', { AllocationId: free.allocationId, NetworkInterfaceId: nat.id }),
    ).toBe('AuthFailure');
    for (const { allocationId } of [balancer, gateway]) {
      expect(
        await account.code('AssociateAddress', { AllocationId: allocationId, NetworkInterfaceId: target?.id ?? '' }),
      ).toBe('AuthFailure');
    }
    expect(await account.addressIds(['network-interface-id', nat.id])).toEqual([gateway.allocationId]);
    expect(await account.addressIds(['association-id', '*'])).toEqual([]);
  });

  it('gives back an automatic public address, which returns minutes after the disassociation', async () => {
    const account = createTestAccount();
    const { id, interfaces } = account.ec2.addInstance({ autoPublicIp: true });
    const [target] = interfaces;
    if (target === undefined) throw new Error('no interface');
    const publicIp = async () => {
      const reply = await account.ok('DescribeNetworkInterfaces', filterParams(['attachment.instance-id', id]));
      const [found] = itemsAt(reply, 'networkInterfaceSet');
      return [valueAt(found, 'association', 'publicIp'), valueAt(found, 'association', 'allocationId')];
    };
    expect(await publicIp()).toEqual([target.autoPublicIp, undefined]);
    const { allocationId, publicIp: elastic } = account.ec2.addAddress({});
    const associationId = await account.associate(allocationId, target);
    expect(await publicIp()).toEqual([elastic, allocationId]);
    await account.ok('DisassociateAddress', { AssociationId: associationId });
    expect(await publicIp()).toEqual([undefined, undefined]);
    await account.clock.advance(120_000);
    expect((await publicIp())[0]).toMatch(/^198\.1[89]\./);
  });

  it.each([
    [{ AllocationId: 'eipalloc-0123' }, 'InvalidAllocationID.NotFound'],
    [{ AllocationId: 'vol-1' }, 'InvalidAllocationID.Malformed'],
    [{}, 'MissingParameter'],
    [{ NetworkInterfaceId: 'eni-0123' }, 'InvalidNetworkInterfaceID.NotFound'],
    [{ NetworkInterfaceId: 'name' }, 'InvalidNetworkInterfaceId.Malformed'],
    [{ InstanceId: 'i-0123' }, 'InvalidInstanceID.NotFound'],
    [{ InstanceId: 'name' }, 'InvalidInstanceID.Malformed'],
    [{ InstanceId: 'i-0123', NetworkInterfaceId: 'eni-0123' }, 'InvalidParameterCombination'],
    [
      { NetworkInterfaceId: 'eni-0123', AllowReassociation: 'maybe', DryRun: 'true' },
      'InvalidNetworkInterfaceID.NotFound',
    ],
    [{ NetworkInterfaceID: 'eni-0123' }, 'UnknownParameter'],
  ])('refuses %j with %s', async (change, code) => {
    const account = createTestAccount();
    const { allocationId } = account.ec2.addAddress({});
    expect(await account.code('AssociateAddress', { AllocationId: allocationId, ...change })).toBe(code);
  });
});

describe('DisassociateAddress', () => {
  it.each([
    ['not-found', 'InvalidAssociationID.NotFound'],
    ['ok', 'OK'],
  ] as const)('B23: answers a vanished association with %s', async (goneAssociation, code) => {
    const account = createTestAccount({ settings: { goneAssociation } });
    expect(await account.code('DisassociateAddress', { AssociationId: 'eipassoc-0123' })).toBe(code);
  });

  it('B23: with an old id leaves the newer association alone', async () => {
    const account = createTestAccount();
    const [target] = account.ec2.addInstance({}).interfaces;
    if (target === undefined) throw new Error('no interface');
    const { allocationId } = account.ec2.addAddress({});
    const old = await account.associate(allocationId, target);
    account.ec2.disassociate({ allocationId });
    await account.associate(allocationId, target);
    expect(await account.code('DisassociateAddress', { AssociationId: old })).toBe('InvalidAssociationID.NotFound');
    expect(await holdersOn(account, target.id)).toEqual([allocationId]);
  });
});
