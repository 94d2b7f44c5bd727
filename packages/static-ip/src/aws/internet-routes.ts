import type { InternetRoute } from '../provider.ts';
import type { Ec2Calls, Ec2Route, Ec2RouteTable } from './ec2-calls.ts';
import { inBatches } from './filters.ts';

const EVERYWHERE = '0.0.0.0/0';

/** Names the network of an interface: its subnet decides the way out, its VPC what that is without a table of its own. */
export function networkOf(vpcId: string | undefined, subnetId: string | undefined): string | undefined {
  return vpcId === undefined || subnetId === undefined ? undefined : `${vpcId}/${subnetId}`;
}

/**
 * Reads the route tables of the VPCs and judges each subnet by its own table, else by the main one of its VPC
 * (https://docs.aws.amazon.com/vpc/latest/userguide/RouteTables.html). A subnet whose table is not shown has no answer.
 */
export async function readInternetRoutes(
  calls: Ec2Calls,
  networks: readonly string[],
  signal: AbortSignal,
): Promise<readonly InternetRoute[]> {
  const vpcIds = [...new Set(networks.map((network) => partsOf(network).vpcId))];
  const batches = inBatches('vpc-id', vpcIds).map((filters) => allPages(calls, filters, signal));
  const tables = (await Promise.all(batches)).flat();
  return networks.flatMap((network) => {
    const table = tableOf(tables, partsOf(network));
    return table === undefined ? [] : [judge(network, table)];
  });
}

function partsOf(network: string): { readonly vpcId: string; readonly subnetId: string } {
  const [vpcId = '', subnetId = ''] = network.split('/');
  return { vpcId, subnetId };
}

async function allPages(
  calls: Ec2Calls,
  filters: Parameters<Ec2Calls['describeRouteTables']>[0]['filters'],
  signal: AbortSignal,
): Promise<readonly Ec2RouteTable[]> {
  const found: Ec2RouteTable[] = [];
  let nextToken: string | undefined;
  do {
    const page = await calls.describeRouteTables({ filters, nextToken }, signal);
    found.push(...page.items);
    nextToken = page.nextToken;
  } while (nextToken !== undefined && nextToken !== '');
  return found;
}

function tableOf(
  tables: readonly Ec2RouteTable[],
  { vpcId, subnetId }: ReturnType<typeof partsOf>,
): Ec2RouteTable | undefined {
  const ofVpc = tables.filter(({ VpcId }) => VpcId === vpcId);
  const own = ofVpc.find(({ Associations = [] }) => Associations.some(({ SubnetId }) => SubnetId === subnetId));
  return own ?? ofVpc.find(({ Associations = [] }) => Associations.some(({ Main }) => Main === true));
}

function judge(network: string, { RouteTableId = '', Routes = [] }: Ec2RouteTable): InternetRoute {
  if (Routes.some(isWayOut)) return { network, isOpen: true };
  const { subnetId } = partsOf(network);
  const byDefault = Routes.find(({ DestinationCidrBlock }) => DestinationCidrBlock === EVERYWHERE);
  const why = `the route table ${RouteTableId} of the subnet ${subnetId} has no route to an internet gateway`;
  return { network, isOpen: false, why: `${why}${byDefault === undefined ? '' : `: ${describe(byDefault)}`}` };
}

/**
 * Whether public addresses may work by this route. Any route to a gateway that translates them counts: a way to a few
 * partners only, or to a prefix list whose entries are not shown, may be all that is meant. The default route may also
 * lead to a firewall's endpoint or interface, behind which only its owner can see. S3's endpoint has a prefix list.
 */
function isWayOut(route: Ec2Route): boolean {
  if (route.State === 'blackhole' || isOnlyIpv6(route)) return false;
  const { GatewayId = '', CarrierGatewayId, LocalGatewayId } = route;
  if (GatewayId.startsWith('igw-') || isSet(CarrierGatewayId) || isSet(LocalGatewayId)) return true;
  if (route.DestinationCidrBlock !== EVERYWHERE) return false;
  return GatewayId.startsWith('vpce-') || isSet(route.NetworkInterfaceId) || isSet(route.InstanceId);
}

function isOnlyIpv6({ DestinationCidrBlock, DestinationPrefixListId }: Ec2Route): boolean {
  return !isSet(DestinationCidrBlock) && !isSet(DestinationPrefixListId);
}

function describe(route: Ec2Route): string {
  const { GatewayId, NatGatewayId, TransitGatewayId, VpcPeeringConnectionId } = route;
  const to = [NatGatewayId, TransitGatewayId, VpcPeeringConnectionId, GatewayId].find(isSet) ?? 'something else';
  return route.State === 'blackhole' ? `its default route to ${to} is a blackhole` : `its default route is to ${to}`;
}

/** Some emulators answer `""` where EC2 leaves a field out. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
