import type { Route, RouteTable, Subnet, Tags, Vpc, World, Zone } from '../core/model.ts';
import { lookUp, valuesOf, withEntry } from '../core/persistent-map.ts';
import { createIdSource } from '../core/seeded-ids.ts';
import type { IdSource } from '../core/seeded-ids.ts';
import type { Ec2State } from '../core/state.ts';

/** A new state and what was made. */
export type Seeded<R> = readonly [state: Ec2State, made: R];

/** A VPC to be; without `internetGateway: false` addresses can be associated in it. */
export interface NewVpc {
  readonly id?: string;
  readonly cidr?: string;
  readonly isDefault?: boolean;
  readonly internetGateway?: boolean;
}

/** A subnet to be; without a VPC it goes into the first one, which is made when there is none. */
export interface NewSubnet {
  readonly id?: string;
  readonly vpcId?: string;
  readonly zone?: string;
  readonly cidr?: string;
  readonly tags?: Tags;
}

/** A route table to be; `subnetIds` empty and `main` true: the table of all subnets without one of their own. */
export interface NewRouteTable {
  readonly id?: string;
  readonly vpcId: string;
  readonly main?: boolean;
  readonly subnetIds?: readonly string[];
  readonly routes?: readonly Route[];
  readonly tags?: Tags;
}

/** Runs a change of the world that needs new ids. */
export function seedWorld<R>(state: Ec2State, change: (world: World, ids: IdSource) => readonly [World, R]): Seeded<R> {
  const ids = createIdSource(state.seed, state.serial);
  const [world, made] = change(state.world, ids);
  return [{ ...state, world, serial: ids.serial() }, made];
}

/** Adds a zone, or replaces the one of that name. */
export function seedZone(state: Ec2State, zone: Partial<Zone> & { readonly name: string }): Seeded<Zone> {
  const made: Zone = {
    zoneId: `${zone.name}-id`,
    type: 'local-zone',
    groupName: zone.borderGroup ?? state.region,
    borderGroup: state.region,
    ...zone,
  };
  const zones = [...state.world.zones.filter((known) => known.name !== made.name), made];
  return [{ ...state, world: { ...state.world, zones } }, made];
}

/** Adds a VPC with a main route table that leads to its internet gateway. */
export function seedVpc(state: Ec2State, wanted: NewVpc): Seeded<Vpc> {
  return seedWorld(state, (world, ids) => addVpc(world, ids, wanted));
}

function addVpc(world: World, ids: IdSource, wanted: NewVpc): readonly [World, Vpc] {
  const internetGatewayId = wanted.internetGateway === false ? undefined : ids.id('igw');
  const vpc: Vpc = {
    id: wanted.id ?? ids.id('vpc'),
    cidr: wanted.cidr ?? '10.0.0.0/8',
    isDefault: wanted.isDefault ?? false,
    internetGatewayId,
  };
  const out = internetGatewayId === undefined ? [] : [{ destination: '0.0.0.0/0', gatewayId: internetGatewayId }];
  const routes = [{ destination: vpc.cidr, gatewayId: 'local' }, ...out];
  const [withTable] = addRouteTable({ ...world, vpcs: withEntry(world.vpcs, vpc.id, vpc) }, ids, {
    vpcId: vpc.id,
    main: true,
    routes,
  });
  return [withTable, vpc];
}

/** Adds a route table. */
export function seedRouteTable(state: Ec2State, wanted: NewRouteTable): Seeded<RouteTable> {
  return seedWorld(state, (world, ids) => addRouteTable(world, ids, wanted));
}

function addRouteTable(world: World, ids: IdSource, wanted: NewRouteTable): readonly [World, RouteTable] {
  const { id = ids.id('rtb'), vpcId, main = false, subnetIds = [], routes = [], tags = {} } = wanted;
  const table: RouteTable = { id, vpcId, main, subnetIds, routes, tags };
  return [{ ...world, routeTables: withEntry(world.routeTables, id, table) }, table];
}

/** Adds a subnet. @throws Error when the zone is unknown */
export function seedSubnet(state: Ec2State, wanted: NewSubnet): Seeded<Subnet> {
  return seedWorld(state, (world, ids) => addSubnet(world, ids, wanted));
}

/** Adds a subnet to a world. @throws Error when the zone or the VPC is unknown */
export function addSubnet(world: World, ids: IdSource, wanted: NewSubnet): readonly [World, Subnet] {
  const zone = wanted.zone ?? world.zones[0]?.name ?? '';
  if (!world.zones.some((known) => known.name === zone)) throw new Error(`zone ${zone} is unknown: add it first`);
  const [withVpc, vpc] = wanted.vpcId === undefined ? firstVpc(world, ids) : [world, lookUp(world.vpcs, wanted.vpcId)];
  if (vpc === undefined) throw new Error(`VPC ${wanted.vpcId} is unknown: add it first`);
  const subnet: Subnet = {
    id: wanted.id ?? ids.id('subnet'),
    vpcId: vpc.id,
    zone,
    cidr: wanted.cidr ?? `10.${withVpc.subnets.size % 256}.0.0/16`,
    nextHost: 4,
    tags: wanted.tags ?? {},
  };
  return [putSubnet(withVpc, subnet), subnet];
}

function firstVpc(world: World, ids: IdSource): readonly [World, Vpc] {
  const [known] = valuesOf(world.vpcs).toSorted((left, right) => left.id.localeCompare(right.id));
  return known === undefined ? addVpc(world, ids, {}) : [world, known];
}

/** A world in which the subnet is known, replacing an earlier version of it. */
export function putSubnet(world: World, subnet: Subnet): World {
  return { ...world, subnets: withEntry(world.subnets, subnet.id, subnet) };
}
