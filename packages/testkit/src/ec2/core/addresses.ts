import type { Action, ActionContext, ActionOutcome } from './action.ts';
import { putAddress, removeAddress } from './bindings.ts';
import { applyFilters, FILTER_PARAMS, selectByIds } from './describe.ts';
import { Ec2Error } from './ec2-error.ts';
import type { FilterTable } from './filters.ts';
import type { Address, NetworkInterface, World } from './model.ts';
import { lookUp, valuesOf } from './persistent-map.ts';
import { newPublicIp } from './public-ips.ts';
import { requiredText, textOf } from './query.ts';
import { mix, orderOf } from './seeded-ids.ts';
import { tagSpecificationOf } from './tags.ts';
import { ACCOUNT_ID } from './state.ts';
import { isVisible } from './visibility.ts';
import type { WireObject } from './wire.ts';
import { wireList, wireTags } from './wire.ts';

const FILTERS: FilterTable<Address> = {
  'allocation-id': (address) => address.allocationId,
  'association-id': (address) => address.association?.id,
  domain: () => 'vpc',
  'instance-id': (address, world) => instanceIdOf(address, world),
  'network-border-group': (address) => address.borderGroup,
  'network-interface-id': (address) => address.association?.interfaceId ?? address.heldByInterfaceId,
  'network-interface-owner-id': (address) => (address.association === undefined ? undefined : ACCOUNT_ID),
  'private-ip-address': (address) => address.association?.privateIp,
  'public-ip': (address) => address.publicIp,
};

/**
 * DescribeAddresses: everything in one answer, in no promised order (ours differs from call to call).
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAddresses.html
 */
export const describeAddresses: Action = {
  params: ['AllocationId.#', 'PublicIp.#', ...FILTER_PARAMS],
  run: (context) => {
    const selected = selectByAllocation(context) ?? selectByPublicIp(context);
    const visible =
      selected ?? valuesOf(context.view.addresses).filter((address) => isVisible(context.state, address, context.now));
    const addresses = shuffle(context, applyFilters(context, visible, FILTERS));
    return { reply: { addressesSet: wireList(addresses.map((address) => wireAddress(context, address))) } };
  },
};

function selectByAllocation(context: ActionContext): Address[] | undefined {
  return selectByIds(context, {
    param: 'AllocationId',
    find: (id) => visibleAddress(context, context.view, id),
    missing: (id) => allocationNotFound(id),
  });
}

function selectByPublicIp(context: ActionContext): Address[] | undefined {
  return selectByIds(context, {
    param: 'PublicIp',
    find: (ip) => visibleAddress(context, context.view, lookUp(context.view.publicIps, ip) ?? ''),
    missing: (ip) => new Ec2Error('InvalidAddress.NotFound', `Address '${ip}' not found.`),
  });
}

function visibleAddress(context: ActionContext, world: World, allocationId: string): Address | undefined {
  const address = lookUp(world.addresses, allocationId);
  return address !== undefined && isVisible(context.state, address, context.now) ? address : undefined;
}

/** The error for an allocation id that a call does not know. */
function allocationNotFound(id: string): Ec2Error {
  if (!/^eipalloc-[0-9a-f]+$/.test(id)) return new Ec2Error('InvalidAllocationID.Malformed', `Invalid id: "${id}"`);
  return new Ec2Error('InvalidAllocationID.NotFound', `The allocation ID '${id}' does not exist`);
}

/** The newest version of an address named by a write call. @throws Ec2Error InvalidAllocationID.NotFound */
export function addressToWrite(context: ActionContext, allocationId: string): Address {
  const address = visibleAddress(context, context.world, allocationId);
  if (address === undefined) throw allocationNotFound(allocationId);
  return address;
}

function shuffle(context: ActionContext, addresses: readonly Address[]): Address[] {
  const sorted = addresses.toSorted((left, right) => left.order - right.order);
  const start = sorted.length === 0 ? 0 : mix(context.state.seed, context.state.serial, 7) % sorted.length;
  return [...sorted.slice(start), ...sorted.slice(0, start)];
}

function instanceIdOf(address: Address, world: World): string | undefined {
  return lookUp(world.interfaces, address.association?.interfaceId ?? '')?.attachment?.instanceId;
}

// An answer may hold thousands of addresses, of which few changed since the last one: keep what was made of each version.
const wired = new WeakMap<Address, { readonly target: NetworkInterface | undefined; readonly item: WireObject }>();

function wireAddress(context: ActionContext, address: Address): WireObject {
  const target = lookUp(context.view.interfaces, address.association?.interfaceId ?? '');
  const known = wired.get(address);
  if (known !== undefined && known.target === target) return known.item;
  const item = Object.freeze(toWire(address, { target, accountId: context.state.accountId }));
  wired.set(address, { target, item });
  return item;
}

function toWire(
  address: Address,
  { target, accountId }: { target: NetworkInterface | undefined; accountId: string },
): WireObject {
  const { association } = address;
  return {
    instanceId: target?.attachment?.instanceId,
    publicIp: address.carrierIp === undefined ? address.publicIp : undefined,
    allocationId: address.allocationId,
    associationId: association?.id,
    domain: 'vpc',
    networkInterfaceId: association?.interfaceId ?? address.heldByInterfaceId,
    networkInterfaceOwnerId: association === undefined ? undefined : accountId,
    privateIpAddress: association?.privateIp,
    tagSet: wireTags(address.tags),
    publicIpv4Pool: address.pool,
    networkBorderGroup: address.borderGroup,
    carrierIp: address.carrierIp,
    serviceManaged: address.serviceManaged,
  };
}

/**
 * AllocateAddress: not idempotent; tags are applied in the same step or nothing happens.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AllocateAddress.html
 */
export const allocateAddress: Action = {
  params: [
    'Domain',
    'Address',
    'PublicIpv4Pool',
    'NetworkBorderGroup',
    'TagSpecification.#.ResourceType',
    'TagSpecification.#.Tag.#.Key',
    'TagSpecification.#.Tag.#.Value',
  ],
  run: (context) => {
    const { state, world, query, ids } = context;
    const tags = tagSpecificationOf(query, 'elastic-ip');
    const pool = textOf(query, 'PublicIpv4Pool') ?? 'amazon';
    const borderGroup = borderGroupOf(context);
    if (pool === 'amazon') checkQuota(context);
    const allocationId = ids.id('eipalloc');
    const address: Address = {
      allocationId,
      publicIp: wantedPublicIp(context) ?? newPublicIp(world, ids),
      borderGroup,
      pool,
      carrierIp: undefined,
      serviceManaged: undefined,
      heldByInterfaceId: undefined,
      locked: false,
      tags,
      createdBy: context.principal,
      foreign: undefined,
      association: undefined,
      order: orderOf(state.seed, ids),
      createdAt: context.now,
    };
    const reply = {
      publicIp: address.publicIp,
      allocationId,
      publicIpv4Pool: pool,
      domain: 'vpc',
      networkBorderGroup: borderGroup,
    };
    return { reply, world: putAddress(world, address) };
  },
};

function borderGroupOf(context: ActionContext): string {
  const domain = textOf(context.query, 'Domain') ?? 'vpc';
  if (domain !== 'vpc') throw new Ec2Error('InvalidParameterValue', `Invalid value '${domain}' for domain.`);
  const borderGroup = textOf(context.query, 'NetworkBorderGroup') ?? context.state.region;
  if (context.world.zones.some((zone) => zone.borderGroup === borderGroup)) return borderGroup;
  throw new Ec2Error('InvalidParameterValue', `Invalid value '${borderGroup}' for NetworkBorderGroup.`);
}

function wantedPublicIp(context: ActionContext): string | undefined {
  const wanted = textOf(context.query, 'Address');
  if (wanted === undefined) return undefined;
  if (lookUp(context.world.publicIps, wanted) === undefined) return wanted;
  throw new Ec2Error('InvalidAddress.NotFound', `Address '${wanted}' is not available.`);
}

function checkQuota(context: ActionContext): void {
  const used = valuesOf(context.world.addresses).filter((address) => address.pool === 'amazon').length;
  if (used < context.state.settings.addressQuota) return;
  throw new Ec2Error('AddressLimitExceeded', 'The maximum number of addresses has been reached.');
}

/**
 * ReleaseAddress. In a VPC that is not the default one the address must be free.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ReleaseAddress.html
 */
export const releaseAddress: Action = {
  params: ['AllocationId', 'PublicIp', 'NetworkBorderGroup'],
  run: (context): ActionOutcome => {
    if (textOf(context.query, 'PublicIp') !== undefined)
      throw new Ec2Error(
        'InvalidParameterCombination',
        'You must specify an allocation id when releasing a VPC elastic IP address',
      );
    const address = addressToWrite(context, requiredText(context.query, 'AllocationId'));
    const borderGroup = textOf(context.query, 'NetworkBorderGroup') ?? context.state.region;
    if (borderGroup !== address.borderGroup)
      throw new Ec2Error('InvalidAddress.NotFound', `Address '${address.publicIp}' not found.`);
    if (address.serviceManaged !== undefined || address.heldByInterfaceId !== undefined)
      throw notPermitted(address.allocationId);
    if (address.locked) throw new Ec2Error('InvalidAddress.Locked', `Address '${address.publicIp}' is locked.`);
    checkFree(context, address);
    return { reply: { return: true }, world: removeAddress(context.world, address) };
  },
};

function checkFree(context: ActionContext, address: Address): void {
  if (address.association === undefined) return;
  const vpcId = lookUp(context.world.interfaces, address.association.interfaceId)?.vpcId ?? '';
  if (lookUp(context.world.vpcs, vpcId)?.isDefault === true) return;
  throw new Ec2Error('InvalidIPAddress.InUse', `Address '${address.publicIp}' is in use.`);
}

/** The error for an address or interface that belongs to an AWS service or another account. */
export function notPermitted(id: string): Ec2Error {
  return new Ec2Error('AuthFailure', `You do not have permission to access the specified resource: ${id}`);
}
