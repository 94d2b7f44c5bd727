import { putInterface } from '../core/bindings.ts';
import { putInstance } from '../core/instance-life.ts';
import type { Instance, InstanceState, NetworkInterface, Subnet, Tags, World } from '../core/model.ts';
import { lookUp, valuesOf } from '../core/persistent-map.ts';
import { newPublicIp } from '../core/public-ips.ts';
import { addSubnet, putSubnet, seedWorld } from './seed-networks.ts';
import type { Seeded } from './seed-networks.ts';
import { orderOf } from '../core/seeded-ids.ts';
import type { IdSource } from '../core/seeded-ids.ts';
import type { Ec2State } from '../core/state.ts';

/** An interface to be. */
export interface NewInterface {
  readonly id?: string;
  /** In place of the instance's subnet. */
  readonly subnetId?: string;
  readonly deviceIndex?: number;
  readonly networkCard?: number;
  readonly privateIp?: string;
  readonly secondaryIps?: readonly string[];
  /** /28 blocks. */
  readonly prefixes?: readonly string[];
  readonly interfaceType?: string;
  readonly description?: string;
  readonly requesterManaged?: boolean;
  readonly deleteOnTermination?: boolean;
  readonly tags?: Tags;
}

/** An instance to be; by default running, with one interface, in the first subnet of the zone. */
export interface NewInstance {
  readonly id?: string;
  readonly zone?: string;
  readonly subnetId?: string;
  readonly interfaces?: readonly NewInterface[];
  readonly state?: InstanceState;
  /** Whether the primary interface gets a public address of Amazon's pool. */
  readonly autoPublicIp?: boolean;
  readonly tags?: Tags;
}

/** An instance with its interfaces, in the order in which they were asked for. */
export interface SeededInstance extends Instance {
  readonly interfaces: readonly NetworkInterface[];
}

/** Adds an instance with its interfaces, older than any visibility window. */
export function seedInstance(state: Ec2State, wanted: NewInstance): Seeded<SeededInstance> {
  return seedWorld(state, (world, ids) => {
    const [withSubnet, subnet] = subnetFor(world, ids, wanted);
    const id = wanted.id ?? ids.id('i');
    let current = withSubnet;
    const interfaces: NetworkInterface[] = [];
    for (const [index, asked] of (wanted.interfaces ?? [{}]).entries()) {
      const [next, made] = addInterface(current, { state, ids, subnet }, { deviceIndex: index, ...asked });
      const attached = attach(made, id, { ids, asked: { deviceIndex: index, ...asked } });
      const isPrimary = attached.attachment?.deviceIndex === 0 && wanted.autoPublicIp === true;
      const withPublic = isPrimary ? { ...attached, autoPublicIp: newPublicIp(next, ids) } : attached;
      current = putInterface(next, withPublic);
      interfaces.push(withPublic);
    }
    const instance: Instance = {
      id,
      reservationId: ids.id('r'),
      state: wanted.state ?? 'running',
      vpcId: subnet.vpcId,
      subnetId: subnet.id,
      zone: subnet.zone,
      interfaceIds: interfaces.map((made) => made.id),
      autoPublicIp: wanted.autoPublicIp ?? false,
      tags: wanted.tags ?? {},
      order: orderOf(state.seed, ids),
      createdAt: Number.NEGATIVE_INFINITY,
    };
    return [putInstance(current, instance), { ...instance, interfaces }];
  });
}

/** Adds an interface that is attached to no instance, such as a NAT gateway's or a branch interface. */
export function seedInterface(
  state: Ec2State,
  wanted: NewInterface & { readonly zone?: string },
): Seeded<NetworkInterface> {
  return seedWorld(state, (world, ids) => {
    const [withSubnet, subnet] = subnetFor(world, ids, wanted);
    return addInterface(withSubnet, { state, ids, subnet }, wanted);
  });
}

function subnetFor(
  world: World,
  ids: IdSource,
  wanted: { subnetId?: string; zone?: string },
): readonly [World, Subnet] {
  if (wanted.subnetId !== undefined) return [world, knownSubnet(world, wanted.subnetId)];
  const zone = wanted.zone ?? world.zones[0]?.name ?? '';
  const [known] = valuesOf(world.subnets)
    .filter((subnet) => subnet.zone === zone)
    .toSorted((left, right) => left.id.localeCompare(right.id));
  return known === undefined ? addSubnet(world, ids, { zone }) : [world, known];
}

function knownSubnet(world: World, id: string): Subnet {
  const subnet = lookUp(world.subnets, id);
  if (subnet === undefined) throw new Error(`subnet ${id} is unknown: add it first`);
  return subnet;
}

const ORDINARY = {
  interfaceType: 'interface',
  description: '',
  requesterManaged: false,
  prefixes: [],
  autoPublicIp: undefined,
  attachment: undefined,
  tags: {},
  createdAt: Number.NEGATIVE_INFINITY,
} as const;

function addInterface(
  world: World,
  context: { state: Ec2State; ids: IdSource; subnet: Subnet },
  wanted: NewInterface,
): readonly [World, NetworkInterface] {
  const { ids } = context;
  // Read again: an earlier interface of the same instance may have taken an IP of this subnet.
  const subnet = knownSubnet(world, wanted.subnetId ?? context.subnet.id);
  const {
    id,
    subnetId: _subnet,
    deviceIndex: _index,
    networkCard: _card,
    privateIp,
    secondaryIps = [],
    deleteOnTermination: _delete,
    ...optional
  } = wanted;
  const made: NetworkInterface = {
    ...ORDINARY,
    ...optional,
    id: id ?? ids.id('eni'),
    vpcId: subnet.vpcId,
    subnetId: subnet.id,
    zone: subnet.zone,
    mac: macOf(ids),
    privateIps: [privateIp ?? hostAt(subnet), ...secondaryIps],
    order: orderOf(context.state.seed, ids),
  };
  const taken = wanted.privateIp === undefined ? putSubnet(world, { ...subnet, nextHost: subnet.nextHost + 1 }) : world;
  return [putInterface(taken, made), made];
}

function attach(
  made: NetworkInterface,
  instanceId: string,
  { ids, asked }: { ids: IdSource; asked: NewInterface },
): NetworkInterface {
  const { deviceIndex = 0, networkCard = 0, deleteOnTermination = true } = asked;
  return {
    ...made,
    attachment: { id: ids.id('eni-attach'), instanceId, deviceIndex, networkCard, deleteOnTermination },
  };
}

function hostAt(subnet: Subnet): string {
  const octets = (subnet.cidr.split('/')[0] ?? '').split('.').map(Number);
  const first = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const host = first + subnet.nextHost;
  return [host >>> 24, (host >>> 16) & 0xff, (host >>> 8) & 0xff, host & 0xff].join('.');
}

function macOf(ids: IdSource): string {
  const octets = ids.id('').slice(2, 12).match(/../g) ?? [];
  return `0a:${octets.join(':')}`;
}
