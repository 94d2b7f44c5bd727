import type { Action, ActionContext } from './action.ts';
import { interfaceNotFound } from './associations.ts';
import { holderOf } from './bindings.ts';
import { applyFilters, FILTER_PARAMS, PAGE_PARAMS, pageOf, selectByIds, wireToken } from './describe.ts';
import type { FilterTable } from './filters.ts';
import type { NetworkInterface, World } from './model.ts';
import { lookUp, valuesOf } from './persistent-map.ts';
import { isVisible } from './visibility.ts';
import type { WireObject } from './wire.ts';
import { wireList, wireTags } from './wire.ts';

const FILTERS: FilterTable<NetworkInterface> = {
  'addresses.primary': (found) => (found.privateIps.length > 1 ? ['true', 'false'] : 'true'),
  'addresses.private-ip-address': (found) => found.privateIps,
  'addresses.association.public-ip': (found, world) => publicIpsOf(found, world),
  'association.allocation-id': (found, world) => holdersOf(found, world).map((address) => address.allocationId),
  'association.association-id': (found, world) =>
    holdersOf(found, world).flatMap((address) => address.association?.id ?? []),
  'association.public-ip': (found, world) => publicIpsOf(found, world),
  'attachment.attachment-id': (found) => found.attachment?.id,
  'attachment.delete-on-termination': (found) => textOfFlag(found.attachment?.deleteOnTermination),
  'attachment.device-index': (found) => found.attachment?.deviceIndex.toString(),
  'attachment.instance-id': (found) => found.attachment?.instanceId,
  'attachment.network-card-index': (found) => found.attachment?.networkCard.toString(),
  'attachment.status': (found) => (found.attachment === undefined ? undefined : 'attached'),
  'availability-zone': (found) => found.zone,
  description: (found) => found.description,
  'interface-type': (found) => found.interfaceType,
  'mac-address': (found) => found.mac,
  'network-interface-id': (found) => found.id,
  'private-dns-name': (found) => privateDnsName(found.privateIps[0] ?? ''),
  'private-ip-address': (found) => found.privateIps,
  'requester-managed': (found) => textOfFlag(found.requesterManaged),
  status: (found) => statusOf(found),
  'subnet-id': (found) => found.subnetId,
  'vpc-id': (found) => found.vpcId,
};

/**
 * DescribeNetworkInterfaces: paged. Filters on private addresses see primary and secondary ones, never those inside a
 * delegated prefix.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeNetworkInterfaces.html
 */
export const describeNetworkInterfaces: Action = {
  params: ['NetworkInterfaceId.#', ...FILTER_PARAMS, ...PAGE_PARAMS],
  run: (context) => {
    const see = (found: NetworkInterface | undefined) =>
      found !== undefined && isVisible(context.state, found, context.now) ? found : undefined;
    const selected = selectByIds(context, {
      param: 'NetworkInterfaceId',
      find: (id) => see(lookUp(context.view.interfaces, id)),
      missing: interfaceNotFound,
    });
    const visible = selected ?? valuesOf(context.view.interfaces).filter((found) => see(found) !== undefined);
    const page = pageOf(context, applyFilters(context, visible, FILTERS), { min: 5, max: 1000 });
    return {
      reply: {
        networkInterfaceSet: wireList(page.records.map((found) => wireInterface(context, found))),
        ...wireToken(page),
      },
    };
  },
};

function holdersOf(found: NetworkInterface, world: World) {
  return found.privateIps.flatMap((ip) => holderOf(world, found.id, ip) ?? []);
}

function publicIpsOf(found: NetworkInterface, world: World): string[] {
  const elastic = holdersOf(found, world).map((address) => address.publicIp);
  return found.autoPublicIp === undefined ? elastic : [...elastic, found.autoPublicIp];
}

function textOfFlag(flag: boolean | undefined): string | undefined {
  return flag === undefined ? undefined : String(flag);
}

function statusOf(found: NetworkInterface): string {
  return found.attachment === undefined && !found.requesterManaged ? 'available' : 'in-use';
}

/** The DNS name EC2 makes of a private IP. */
export function privateDnsName(privateIp: string): string {
  return `ip-${privateIp.replaceAll('.', '-')}.ec2.internal`;
}

/** An interface as DescribeNetworkInterfaces shows it. */
export function wireInterface(context: ActionContext, found: NetworkInterface): WireObject {
  const [primary = ''] = found.privateIps;
  return {
    networkInterfaceId: found.id,
    subnetId: found.subnetId,
    vpcId: found.vpcId,
    availabilityZone: found.zone,
    description: found.description,
    ownerId: context.state.accountId,
    requesterManaged: found.requesterManaged,
    status: statusOf(found),
    macAddress: found.mac,
    privateIpAddress: primary,
    privateDnsName: privateDnsName(primary),
    sourceDestCheck: true,
    groupSet: wireList([]),
    attachment: wireAttachment(context, found),
    association: wireAssociation(context, found, primary),
    tagSet: wireTags(found.tags),
    privateIpAddressesSet: wireList(
      found.privateIps.map((privateIpAddress, index) => ({
        privateIpAddress,
        privateDnsName: privateDnsName(privateIpAddress),
        primary: index === 0,
        association: wireAssociation(context, found, privateIpAddress),
      })),
    ),
    ipv4PrefixSet:
      found.prefixes.length === 0 ? undefined : wireList(found.prefixes.map((ipv4Prefix) => ({ ipv4Prefix }))),
    interfaceType: found.interfaceType,
  };
}

function wireAttachment(context: ActionContext, { attachment }: NetworkInterface): WireObject | undefined {
  if (attachment === undefined) return undefined;
  return {
    attachmentId: attachment.id,
    instanceId: attachment.instanceId,
    instanceOwnerId: context.state.accountId,
    deviceIndex: attachment.deviceIndex,
    networkCardIndex: attachment.networkCard,
    status: 'attached',
    deleteOnTermination: attachment.deleteOnTermination,
  };
}

function wireAssociation(context: ActionContext, found: NetworkInterface, privateIp: string): WireObject | undefined {
  const holder = holderOf(context.view, found.id, privateIp);
  if (holder !== undefined) {
    const { publicIp, allocationId, association, carrierIp } = holder;
    return {
      publicIp: carrierIp === undefined ? publicIp : undefined,
      publicDnsName: '',
      ipOwnerId: context.state.accountId,
      allocationId,
      associationId: association?.id,
      carrierIp,
    };
  }
  if (found.autoPublicIp === undefined || found.privateIps[0] !== privateIp) return undefined;
  return { publicIp: found.autoPublicIp, publicDnsName: '', ipOwnerId: 'amazon' };
}
