import { describe, expect, it } from '@jest/globals';
import { itemsAt, valueAt } from '../query-client.ts';
import { createTestAccount, filterParams } from './test-account.ts';
import type { TestAccount } from './test-account.ts';

async function interfaceIds(account: TestAccount, ...filters: [string, ...string[]][]): Promise<string[]> {
  const reply = await account.ok('DescribeNetworkInterfaces', filterParams(...filters));
  return itemsAt(reply, 'networkInterfaceSet')
    .flatMap((item) => valueAt(item, 'networkInterfaceId') ?? [])
    .toSorted();
}

describe('paged reads', () => {
  it('serve every record exactly once, also while others come and go', async () => {
    const account = createTestAccount();
    const ids = Array.from({ length: 23 }, () => account.ec2.addInterface({}).id);
    const seen: string[] = [];
    let token: string | undefined;
    let pages = 0;
    do {
      const reply = await account.ok('DescribeNetworkInterfaces', {
        MaxResults: '5',
        ...(token === undefined ? {} : { NextToken: token }),
      });
      seen.push(...itemsAt(reply, 'networkInterfaceSet').flatMap((item) => valueAt(item, 'networkInterfaceId') ?? []));
      token = valueAt(reply, 'nextToken');
      account.ec2.addInterface({});
      pages += 1;
    } while (token !== undefined);
    expect(pages).toBeGreaterThanOrEqual(5);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(ids));
  });

  it('may answer an empty page that has a next one', async () => {
    const account = createTestAccount();
    account.ec2.addInterface({});
    account.ec2.injectFault({ kind: 'empty-page', action: 'DescribeNetworkInterfaces' });
    const empty = await account.ok('DescribeNetworkInterfaces', { MaxResults: '5' });
    expect(itemsAt(empty, 'networkInterfaceSet')).toEqual([]);
    const next = await account.ok('DescribeNetworkInterfaces', {
      MaxResults: '5',
      NextToken: valueAt(empty, 'nextToken') ?? '',
    });
    expect(itemsAt(next, 'networkInterfaceSet')).toHaveLength(1);
    expect(valueAt(next, 'nextToken')).toBeUndefined();
  });

  it.each([
    [{ 'NetworkInterfaceId.1': 'eni-0404', MaxResults: '5' }, 'InvalidParameterCombination'],
    [{ MaxResults: '4' }, 'InvalidParameterValue'],
    [{ NextToken: 'nonsense' }, 'InvalidNextToken'],
    [{ 'NetworkInterfaceId.1': 'eni-0404' }, 'InvalidNetworkInterfaceID.NotFound'],
  ])('refuse %j with %s', async (params, code) => {
    expect(await createTestAccount().code('DescribeNetworkInterfaces', params)).toBe(code);
  });
});

describe('DescribeNetworkInterfaces', () => {
  it('finds primary and secondary private IPs, in the given VPC only, and none inside a prefix', async () => {
    const account = createTestAccount();
    const [one, two] = [account.ec2.addVpc({}), account.ec2.addVpc({})].map((vpc) =>
      account.ec2.addSubnet({ vpcId: vpc.id }),
    );
    const shape = { privateIp: '10.0.0.10', secondaryIps: ['10.0.0.11'], prefixes: ['10.0.1.0/28'] };
    const here = account.ec2.addInterface({ subnetId: one?.id ?? '', ...shape });
    const there = account.ec2.addInterface({ subnetId: two?.id ?? '', ...shape });
    expect(await interfaceIds(account, ['addresses.private-ip-address', '10.0.0.11'])).toEqual(
      [here.id, there.id].toSorted(),
    );
    expect(await interfaceIds(account, ['addresses.private-ip-address', '10.0.0.11'], ['vpc-id', here.vpcId])).toEqual([
      here.id,
    ]);
    expect(await interfaceIds(account, ['addresses.private-ip-address', '10.0.1.3'])).toEqual([]);
  });

  it('B17: finds an instance’s interfaces by id, device index and status, in no useful order', async () => {
    const account = createTestAccount();
    const { id, interfaces } = account.ec2.addInstance({
      interfaces: [{ deviceIndex: 2 }, { deviceIndex: 0 }, { deviceIndex: 1 }],
    });
    expect(await interfaceIds(account, ['attachment.instance-id', id])).toEqual(
      interfaces.map((made) => made.id).toSorted(),
    );
    expect(await interfaceIds(account, ['attachment.instance-id', id], ['attachment.device-index', '0'])).toEqual([
      interfaces[1]?.id,
    ]);
    expect(await interfaceIds(account, ['attachment.status', 'attached'])).toHaveLength(3);
  });

  it('shows the association of each private IP, and finds interfaces by it', async () => {
    const account = createTestAccount();
    const [target] = account.ec2.addInstance({
      interfaces: [{ privateIp: '10.0.0.10', secondaryIps: ['10.0.0.11'] }],
    }).interfaces;
    const { allocationId, publicIp } = account.ec2.addAddress({});
    const { id } = account.ec2.associate({ allocationId, interfaceId: target?.id ?? '', privateIp: '10.0.0.11' });
    const [found] = itemsAt(
      await account.ok('DescribeNetworkInterfaces', filterParams(['association.public-ip', publicIp])),
      'networkInterfaceSet',
    );
    const associations = itemsAt(found, 'privateIpAddressesSet').map((item) => [
      valueAt(item, 'privateIpAddress'),
      valueAt(item, 'association', 'associationId'),
    ]);
    expect(associations).toEqual([
      ['10.0.0.10', undefined],
      ['10.0.0.11', id],
    ]);
    expect(valueAt(found, 'association', 'publicIp')).toBeUndefined();
  });
});

describe('networks', () => {
  it('maps zones to border groups, local zones included', async () => {
    const account = createTestAccount({ region: 'us-west-2' });
    account.ec2.addZone({ name: 'us-west-2-lax-1a', borderGroup: 'us-west-2-lax-1' });
    const zones = itemsAt(await account.ok('DescribeAvailabilityZones'), 'availabilityZoneInfo');
    expect(
      zones.map((zone) => [valueAt(zone, 'zoneName'), valueAt(zone, 'zoneId'), valueAt(zone, 'networkBorderGroup')]),
    ).toEqual([
      ['us-west-2a', 'usw2-az1', 'us-west-2'],
      ['us-west-2b', 'usw2-az2', 'us-west-2'],
      ['us-west-2c', 'usw2-az3', 'us-west-2'],
      ['us-west-2-lax-1a', 'us-west-2-lax-1a-id', 'us-west-2-lax-1'],
    ]);
    expect(await account.code('DescribeAvailabilityZones', { 'ZoneName.1': 'us-west-2z' })).toBe(
      'InvalidParameterValue',
    );
  });

  it('B21: tells whether a subnet leads to an internet gateway, through its own table or the main one', async () => {
    const account = createTestAccount();
    const subnet = account.ec2.addSubnet({});
    const routes = async (filter: [string, string]) =>
      itemsAt(await account.ok('DescribeRouteTables', filterParams(filter)), 'routeTableSet').flatMap((table) =>
        itemsAt(table, 'routeSet').map(
          (route) => `${valueAt(route, 'destinationCidrBlock')} ${valueAt(route, 'gatewayId')?.slice(0, 4)}`,
        ),
      );
    expect(await routes(['association.subnet-id', subnet.id])).toEqual([]);
    expect(await routes(['association.main', 'true'])).toEqual(['10.0.0.0/8 loca', '0.0.0.0/0 igw-']);
    account.ec2.addRouteTable({
      vpcId: subnet.vpcId,
      subnetIds: [subnet.id],
      routes: [{ destination: '10.0.0.0/8', gatewayId: 'local' }],
    });
    expect(await routes(['association.subnet-id', subnet.id])).toEqual(['10.0.0.0/8 loca']);
    const subnets = itemsAt(await account.ok('DescribeSubnets', { 'SubnetId.1': subnet.id }), 'subnetSet');
    expect(subnets.map((item) => valueAt(item, 'vpcId'))).toEqual([subnet.vpcId]);
  });

  it('B21: shows what a route leads to in the field of its kind, and what is gone as a blackhole', async () => {
    const account = createTestAccount();
    const { id, vpcId } = account.ec2.addSubnet({});
    const all = { destination: '0.0.0.0/0' };
    account.ec2.addRouteTable({
      vpcId,
      subnetIds: [id],
      routes: [
        { ...all, gatewayId: 'tgw-1', isBlackhole: true },
        { destination: 'pl-1', gatewayId: 'vpce-1' },
        { ...all, gatewayId: 'nat-1' },
      ],
    });
    const tablesBy = async (name: string, value: string) =>
      itemsAt(await account.ok('DescribeRouteTables', filterParams([name, value])), 'routeTableSet');
    const [table] = await tablesBy('association.subnet-id', id);
    expect(itemsAt(table, 'routeSet')).toEqual([
      expect.objectContaining({ destinationCidrBlock: '0.0.0.0/0', transitGatewayId: 'tgw-1', state: 'blackhole' }),
      expect.objectContaining({ destinationPrefixListId: 'pl-1', gatewayId: 'vpce-1', state: 'active' }),
      expect.objectContaining({ destinationCidrBlock: '0.0.0.0/0', natGatewayId: 'nat-1', state: 'active' }),
    ]);
    expect(await tablesBy('route.state', 'blackhole')).toHaveLength(1);
    expect(await tablesBy('route.gateway-id', 'nat-1')).toHaveLength(0);
    expect(await tablesBy('route.nat-gateway-id', 'nat-1')).toHaveLength(1);
  });
});

it('an action it does not know is refused by name', async () => {
  expect(await createTestAccount().code('DescribeVpcs')).toBe('InvalidAction');
});
