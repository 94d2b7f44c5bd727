import type { Action } from './action.ts';
import { applyFilters, FILTER_PARAMS, PAGE_PARAMS, pageOf, selectByIds, wireToken } from './describe.ts';
import { Ec2Error } from './ec2-error.ts';
import type { FilterTable } from './filters.ts';
import type { Route, RouteTable, Subnet } from './model.ts';
import { hashText, lookUp, valuesOf } from './persistent-map.ts';
import type { WireObject } from './wire.ts';
import { wireList, wireTags } from './wire.ts';

const SUBNET_FILTERS: FilterTable<Subnet> = {
  'availability-zone': (subnet) => subnet.zone,
  'cidr-block': (subnet) => subnet.cidr,
  'subnet-id': (subnet) => subnet.id,
  'vpc-id': (subnet) => subnet.vpcId,
};

/** DescribeSubnets. Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSubnets.html */
export const describeSubnets: Action = {
  params: ['SubnetId.#', ...FILTER_PARAMS, ...PAGE_PARAMS],
  run: (context) => {
    const selected = selectByIds(context, {
      param: 'SubnetId',
      find: (id) => lookUp(context.view.subnets, id),
      missing: (id) => new Ec2Error('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`),
    });
    const subnets = applyFilters(context, selected ?? valuesOf(context.view.subnets), SUBNET_FILTERS);
    const page = pageOf(context, subnets.map(withOrder), { min: 5, max: 1000 });
    return {
      reply: {
        subnetSet: wireList(page.records.map((subnet) => wireSubnet(subnet, context.state.accountId))),
        ...wireToken(page),
      },
    };
  },
};

function withOrder<R extends { readonly id: string }>(record: R): R & { order: number } {
  return { ...record, order: hashText(record.id) };
}

function wireSubnet(subnet: Subnet, ownerId: string): WireObject {
  const { id, vpcId, zone, cidr, tags } = subnet;
  return {
    subnetId: id,
    state: 'available',
    vpcId,
    cidrBlock: cidr,
    availabilityZone: zone,
    ownerId,
    tagSet: wireTags(tags),
  };
}

const ROUTE_TABLE_FILTERS: FilterTable<RouteTable> = {
  'association.main': (table) => (table.main ? 'true' : undefined),
  'association.subnet-id': (table) => table.subnetIds,
  'route-table-id': (table) => table.id,
  'route.destination-cidr-block': (table) => table.routes.flatMap((route) => fieldOf(route, 'destinationCidrBlock')),
  'route.destination-prefix-list-id': (table) =>
    table.routes.flatMap((route) => fieldOf(route, 'destinationPrefixListId')),
  'route.gateway-id': (table) => table.routes.flatMap((route) => fieldOf(route, 'gatewayId')),
  'route.nat-gateway-id': (table) => table.routes.flatMap((route) => fieldOf(route, 'natGatewayId')),
  'route.state': (table) => table.routes.map(stateOf),
  'route.transit-gateway-id': (table) => table.routes.flatMap((route) => fieldOf(route, 'transitGatewayId')),
  'vpc-id': (table) => table.vpcId,
};

/** DescribeRouteTables. Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeRouteTables.html */
export const describeRouteTables: Action = {
  params: ['RouteTableId.#', ...FILTER_PARAMS, ...PAGE_PARAMS],
  run: (context) => {
    const selected = selectByIds(context, {
      param: 'RouteTableId',
      find: (id) => lookUp(context.view.routeTables, id),
      missing: (id) => new Ec2Error('InvalidRouteTableID.NotFound', `The routeTable ID '${id}' does not exist`),
    });
    const tables = applyFilters(context, selected ?? valuesOf(context.view.routeTables), ROUTE_TABLE_FILTERS);
    const page = pageOf(context, tables.map(withOrder), { min: 5, max: 100 });
    return {
      reply: {
        routeTableSet: wireList(page.records.map((table) => wireRouteTable(table, context.state.accountId))),
        ...wireToken(page),
      },
    };
  },
};

function wireRouteTable(table: RouteTable, ownerId: string): WireObject {
  const main = table.main
    ? [{ main: true, routeTableAssociationId: `rtbassoc-${table.id.slice(4)}`, routeTableId: table.id }]
    : [];
  const explicit = table.subnetIds.map((subnetId) => ({
    main: false,
    routeTableAssociationId: `rtbassoc-${subnetId.slice(7)}`,
    routeTableId: table.id,
    subnetId,
  }));
  return {
    routeTableId: table.id,
    vpcId: table.vpcId,
    ownerId,
    routeSet: wireList(table.routes.map((route) => wireRoute(route))),
    associationSet: wireList(
      [...main, ...explicit].map((association) => ({ ...association, associationState: { state: 'associated' } })),
    ),
    tagSet: wireTags(table.tags),
  };
}

/** What a route leads to is in a field of its own for most kinds; the others share `gatewayId`. */
const TARGET_FIELDS: Readonly<Record<string, string>> = {
  'nat-': 'natGatewayId',
  'tgw-': 'transitGatewayId',
  'pcx-': 'vpcPeeringConnectionId',
  'eni-': 'networkInterfaceId',
};

/** Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html */
function wireRoute(route: Route): WireObject {
  return {
    ...addressedBy(route),
    state: stateOf(route),
    origin: route.gatewayId === 'local' ? 'CreateRouteTable' : 'CreateRoute',
  };
}

function addressedBy({ destination, gatewayId }: Route): Readonly<Record<string, string>> {
  const to = destination.startsWith('pl-') ? 'destinationPrefixListId' : 'destinationCidrBlock';
  return { [to]: destination, [TARGET_FIELDS[gatewayId.slice(0, 4)] ?? 'gatewayId']: gatewayId };
}

function fieldOf(route: Route, field: string): readonly string[] {
  const value = addressedBy(route)[field];
  return value === undefined ? [] : [value];
}

function stateOf({ isBlackhole = false }: Route): string {
  return isBlackhole ? 'blackhole' : 'active';
}
