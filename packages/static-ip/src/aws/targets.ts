import type { Attachment } from '../address.ts';
import { StaticIpError } from '../errors.ts';
import type { StaticIpErrorCode } from '../errors.ts';
import { isInBlock, isIpv4 } from '../ipv4.ts';
import { targetRefKey } from '../target.ts';
import type { AutomaticAddress, Resolution, Target, TargetRef } from '../target.ts';
import { publicIpOf, text, toAddress } from './addresses.ts';
import type { BorderGroupOf } from './border-groups.ts';
import type { Ec2Address, Ec2Association, Ec2Calls, Ec2Interface } from './ec2-calls.ts';
import { inBatches } from './filters.ts';
import { networkOf } from './internet-routes.ts';
import { listInterfaces } from './interfaces.ts';
import { isPrimary } from './primary-interfaces.ts';
import type { PrimaryInterfaces } from './primary-interfaces.ts';

interface Deps {
  readonly calls: Ec2Calls;
  readonly primaries: PrimaryInterfaces;
  readonly borderGroups: { of(zones: readonly (string | undefined)[]): Promise<BorderGroupOf> };
}

/** A private address on an interface, found for a ref. */
interface Place {
  readonly ref: TargetRef;
  readonly on: Ec2Interface;
  readonly interfaceId: string;
  readonly privateIp: string;
  /** In a delegated /28 prefix: EC2 shows no association for such an address on the interface. */
  readonly isInPrefix: boolean;
}

type Found = Place | { readonly ref: TargetRef; readonly error: StaticIpError };

/**
 * Resolves refs with one read of interfaces for each 200 instances (and one for each 200 interfaces that are named),
 * plus one of addresses when a target is in a delegated prefix. Private addresses repeat across VPCs, so they are only
 * ever looked up on interfaces that are known to be right.
 */
export async function resolveTargets(
  { calls, borderGroups, primaries }: Deps,
  refs: readonly TargetRef[],
  signal: AbortSignal,
): Promise<readonly Resolution[]> {
  const [ofNodes, ofPods, named] = await Promise.all([
    primaries.read([...new Set(refs.flatMap(nodeIdOf))], signal),
    listInterfaces(calls, { name: 'attachment.instance-id', values: refs.flatMap(podInstanceIdOf) }, signal),
    listInterfaces(calls, { name: 'network-interface-id', values: refs.flatMap(interfaceIdOf) }, signal),
  ]);
  const found = refs.map((ref) => findPlace(ref, { ofNodes, ofPods, named }));
  const places = found.filter((one): one is Place => 'on' in one);
  const [borderGroupOf, prefixHolders] = await Promise.all([
    borderGroups.of(places.map(({ on }) => on.AvailabilityZone)),
    readPrefixHolders(calls, places, signal),
  ]);
  return found.map((one) =>
    'error' in one ? one : { ref: one.ref, target: toTarget(one, { borderGroupOf, prefixHolders }) },
  );
}

function nodeIdOf(ref: TargetRef): readonly string[] {
  return ref.kind === 'instance' ? [ref.instanceId] : [];
}

/** A pod's address may be on any interface of its instance. */
function podInstanceIdOf(ref: TargetRef): readonly string[] {
  if (ref.kind === 'instance' || ref.interfaceId !== undefined) return [];
  return ref.instanceId === undefined ? [] : [ref.instanceId];
}

function interfaceIdOf(ref: TargetRef): readonly string[] {
  return ref.kind === 'privateIp' && ref.interfaceId !== undefined ? [ref.interfaceId] : [];
}

interface Interfaces {
  readonly ofNodes: readonly Ec2Interface[];
  readonly ofPods: readonly Ec2Interface[];
  readonly named: readonly Ec2Interface[];
}

function findPlace(ref: TargetRef, { ofNodes, ofPods, named }: Interfaces): Found {
  if (ref.kind === 'instance') return findPrimary(ref, attachedTo(ofNodes, ref.instanceId));
  if (!isIpv4(ref.privateIp)) return fail(ref, 'invalid', 'the private address of a target must be an IPv4 address');
  if (ref.interfaceId !== undefined) {
    const interfaces = named.filter((one) => one.NetworkInterfaceId === ref.interfaceId);
    if (interfaces.length === 0) return fail(ref, 'notFound', 'there is no such network interface');
    return findPrivateIp(ref, interfaces);
  }
  if (ref.instanceId === undefined) return fail(ref, 'invalid', 'a private address needs an instance or an interface');
  const interfaces = attachedTo(ofPods, ref.instanceId);
  if (interfaces.length === 0) return fail(ref, 'notFound', 'no network interface is attached to the instance');
  return findPrivateIp(ref, interfaces);
}

/** Whatever the order of the answer. */
function findPrimary(ref: TargetRef, interfaces: readonly Ec2Interface[]): Found {
  if (interfaces.length === 0) return fail(ref, 'notFound', 'no network interface is attached to the instance');
  const primary = interfaces.find(isPrimary);
  if (primary === undefined) return fail(ref, 'notReady', 'the instance has no primary network interface yet');
  const privateIp = text(primary.PrivateIpAddress);
  if (privateIp === undefined)
    return fail(ref, 'notReady', 'the primary network interface has no private IPv4 address');
  return placeOn(ref, primary, privateIp);
}

function findPrivateIp(ref: Extract<TargetRef, { kind: 'privateIp' }>, interfaces: readonly Ec2Interface[]): Found {
  const holds = interfaces.find((one) => privateIpsOf(one).includes(ref.privateIp));
  if (holds !== undefined) return placeOn(ref, holds, ref.privateIp);
  const delegated = interfaces.find(({ Ipv4Prefixes = [] }) =>
    Ipv4Prefixes.some(({ Ipv4Prefix = '' }) => isInBlock(ref.privateIp, Ipv4Prefix)),
  );
  if (delegated !== undefined) return { ...placeOn(ref, delegated, ref.privateIp), isInPrefix: true };
  return fail(ref, 'notFound', 'no network interface of the target has this private address');
}

function placeOn(ref: TargetRef, on: Ec2Interface, privateIp: string): Place {
  return { ref, on, interfaceId: on.NetworkInterfaceId ?? '', privateIp, isInPrefix: false };
}

interface Holders {
  readonly borderGroupOf: BorderGroupOf;
  /** By interface and private address, for addresses in delegated prefixes. */
  readonly prefixHolders: ReadonlyMap<string, Attachment>;
}

function toTarget(place: Place, { borderGroupOf, prefixHolders }: Holders): Target {
  const { ref, on, interfaceId, privateIp } = place;
  const instanceId = text(on.Attachment?.InstanceId) ?? ref.instanceId;
  const association = associationOf(on, privateIp);
  return {
    ref,
    id: placeKey(interfaceId, privateIp),
    interfaceId,
    privateIp,
    instanceId,
    location: borderGroupOf(on.AvailabilityZone),
    network: networkOf(text(on.VpcId), text(on.SubnetId)),
    holding: place.isInPrefix
      ? prefixHolders.get(placeKey(interfaceId, privateIp))
      : association && holdingOf(association, { interfaceId, privateIp, instanceId }),
    automatic: association && automaticOf(association),
  };
}

/** Of the one private address; the interface's own association is that of its primary address. */
function associationOf(on: Ec2Interface, privateIp: string): Ec2Association | undefined {
  const own = on.PrivateIpAddresses?.find(({ PrivateIpAddress }) => PrivateIpAddress === privateIp)?.Association;
  return own ?? (on.PrivateIpAddress === privateIp ? on.Association : undefined);
}

function holdingOf(
  association: Ec2Association,
  place: Pick<Target, 'interfaceId' | 'privateIp' | 'instanceId'>,
): Attachment | undefined {
  const addressId = text(association.AllocationId);
  if (addressId === undefined) return undefined;
  return { id: text(association.AssociationId) ?? '', addressId, ip: publicIpOf(association) ?? '', ...place };
}

/** Amazon's own public addresses have no allocation id: they go away when an address is associated. */
function automaticOf(association: Ec2Association): AutomaticAddress | undefined {
  const ip = publicIpOf(association);
  return text(association.AllocationId) === undefined && ip !== undefined ? { ip } : undefined;
}

async function readPrefixHolders(
  calls: Ec2Calls,
  places: readonly Place[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Attachment>> {
  const interfaceIds = places.filter(({ isInPrefix }) => isInPrefix).map(({ interfaceId }) => interfaceId);
  const reads = inBatches('network-interface-id', interfaceIds).map((filters) =>
    calls.describeAddresses(filters, signal),
  );
  return new Map((await Promise.all(reads)).flat().flatMap(attachmentByPlace));
}

function attachmentByPlace(record: Ec2Address): readonly (readonly [string, Attachment])[] {
  return toAddress(record).flatMap(({ attachment }) =>
    attachment?.interfaceId === undefined || attachment.privateIp === undefined
      ? []
      : [[placeKey(attachment.interfaceId, attachment.privateIp), attachment] as const],
  );
}

function attachedTo(interfaces: readonly Ec2Interface[], instanceId: string): readonly Ec2Interface[] {
  return interfaces.filter(({ Attachment }) => Attachment?.InstanceId === instanceId);
}

function privateIpsOf(one: Ec2Interface): readonly (string | undefined)[] {
  return [one.PrivateIpAddress, ...(one.PrivateIpAddresses ?? []).map(({ PrivateIpAddress }) => PrivateIpAddress)];
}

function placeKey(interfaceId: string, privateIp: string): string {
  return `${interfaceId}/${privateIp}`;
}

function fail(ref: TargetRef, code: StaticIpErrorCode, message: string): Found {
  return { ref, error: new StaticIpError(code, message, { fields: { target: targetRefKey(ref) } }) };
}
