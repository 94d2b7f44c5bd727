import { describe, expect, it } from '@jest/globals';
import type { Ec2Route, Ec2RouteTable } from './ec2-calls.ts';
import { fakeCalls } from './fake-calls.test.fixture.ts';
import { readInternetRoutes } from './internet-routes.ts';

const NETWORK = 'vpc-1/subnet-1';
const LOCAL: Ec2Route = { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', State: 'active' };
const ALL = { DestinationCidrBlock: '0.0.0.0/0', State: 'active' };
const { signal } = new AbortController();

function table(id: string, routes: readonly Ec2Route[], association: object): Ec2RouteTable {
  return { RouteTableId: id, VpcId: 'vpc-1', Routes: [LOCAL, ...routes], Associations: [association] };
}

const main = (...routes: readonly Ec2Route[]) => table('rtb-main', routes, { Main: true });
const own = (...routes: readonly Ec2Route[]) => table('rtb-own', routes, { Main: false, SubnetId: 'subnet-1' });

async function judge(...tables: readonly Ec2RouteTable[]) {
  const [answer] = await readInternetRoutes(fakeCalls({ tables: [tables] }).calls, [NETWORK], signal);
  return answer;
}

const IGW = { ...ALL, GatewayId: 'igw-1' };
const NAT = { ...ALL, NatGatewayId: 'nat-1' };

describe('the way out of a subnet', () => {
  it('is that of its own table, else of the main one of its VPC', async () => {
    expect(await judge(main(NAT), own(IGW))).toEqual({ network: NETWORK, isOpen: true });
    expect(await judge(main(IGW), own(NAT))).toMatchObject({ isOpen: false });
    expect(await judge(main(IGW))).toEqual({ network: NETWORK, isOpen: true });
    expect(await judge({ ...main(IGW), VpcId: 'vpc-2' })).toBeUndefined();
  });

  it.each<[string, Ec2Route | undefined, string]>([
    ['no default route', undefined, ''],
    ['a NAT gateway', NAT, ': its default route is to nat-1'],
    ['a transit gateway', { ...ALL, TransitGatewayId: 'tgw-1' }, ': its default route is to tgw-1'],
    ['a peering', { ...ALL, VpcPeeringConnectionId: 'pcx-1' }, ': its default route is to pcx-1'],
    ['a virtual private gateway', { ...ALL, GatewayId: 'vgw-1' }, ': its default route is to vgw-1'],
    ['an internet gateway that is gone', { ...IGW, State: 'blackhole' }, ': its default route to igw-1 is a blackhole'],
    ['one for IPv6 only', { GatewayId: 'igw-1', State: 'active' }, ''],
    ['the endpoint of a service', { DestinationPrefixListId: 'pl-1', GatewayId: 'vpce-1', State: 'active' }, ''],
  ])('is none by %s', async (_what, route, more) => {
    expect(await judge(own(...(route === undefined ? [] : [route])))).toEqual({
      network: NETWORK,
      isOpen: false,
      why: `the route table rtb-own of the subnet subnet-1 has no route to an internet gateway${more}`,
    });
  });

  it.each<[string, Ec2Route]>([
    ['an internet gateway', IGW],
    ['one for some partners only', { ...IGW, DestinationCidrBlock: '203.0.113.0/24' }],
    ['one for a prefix list', { DestinationPrefixListId: 'pl-1', GatewayId: 'igw-1', State: 'active' }],
    ['the endpoint of a firewall', { ...ALL, GatewayId: 'vpce-1' }],
    ['an appliance', { ...ALL, NetworkInterfaceId: 'eni-1', InstanceId: 'i-1' }],
    ['a carrier gateway', { ...ALL, CarrierGatewayId: 'cagw-1' }],
    ['a local gateway', { ...ALL, LocalGatewayId: 'lgw-1' }],
  ])('may be %s', async (_what, route) => {
    expect(await judge(own(route))).toEqual({ network: NETWORK, isOpen: true });
  });

  it('is read for all networks at once, page after page', async () => {
    const { calls, asked } = fakeCalls({ tables: [[main(NAT)], [own(IGW)]] });
    const networks = [NETWORK, 'vpc-1/subnet-2', 'vpc-2/subnet-3'];
    const answers = await readInternetRoutes(calls, networks, signal);
    expect(answers.map(({ network, isOpen }) => [network, isOpen])).toEqual([
      [NETWORK, true],
      ['vpc-1/subnet-2', false],
    ]);
    expect(new Set(asked.map(({ filters }) => JSON.stringify(filters)))).toEqual(
      new Set([JSON.stringify([{ name: 'vpc-id', values: ['vpc-1', 'vpc-2'] }])]),
    );
  });
});
