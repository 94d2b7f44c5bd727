import type { Address, Attachment, Selection } from '../address.ts';
import { isIpv4 } from '../ipv4.ts';
import { assertSelective, isSelected } from '../selection.ts';
import type { Ec2Address, Ec2Calls } from './ec2-calls.ts';
import { selectionFilters } from './filters.ts';

/**
 * Reads the addresses of a selection, sorted by id. Ids that EC2 does not know are left out, because they are asked for
 * by a filter: asked for by name, one unknown id fails the whole call.
 * @throws StaticIpError `invalid` for an empty tag selection, and what DescribeAddresses throws
 */
export async function listAddresses(
  calls: Ec2Calls,
  selection: Selection,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  assertSelective(selection);
  const answers = await Promise.all(
    selectionFilters(selection).map((filters) => calls.describeAddresses(filters, signal)),
  );
  const addresses = answers
    .flat()
    .flatMap(toAddress)
    .filter((address) => isSelected(selection, address));
  return addresses.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** EC2's record as an address: none or one, since what has no allocation id or no IPv4 address can never be attached. */
export function toAddress(record: Ec2Address): readonly Address[] {
  const id = text(record.AllocationId);
  const ip = publicIpOf(record);
  if (id === undefined || ip === undefined || text(record.Domain) === 'standard') return [];
  return [
    {
      id,
      ip,
      tags: tagsOf(record),
      location: text(record.NetworkBorderGroup),
      attachment: attachmentOf(record, { id, ip }),
      reserved: whyReserved(record),
    },
  ];
}

/** The public address a user sees: in Wavelength zones the carrier's, on Outposts the customer's, else Amazon's. */
export function publicIpOf(record: Pick<Ec2Address, 'CarrierIp' | 'CustomerOwnedIp' | 'PublicIp'>): string | undefined {
  const ip = text(record.CarrierIp) ?? text(record.CustomerOwnedIp) ?? text(record.PublicIp);
  return ip !== undefined && isIpv4(ip) ? ip : undefined;
}

/** Some emulators answer `""` where EC2 leaves a field out. */
export function text(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function attachmentOf(record: Ec2Address, { id, ip }: Pick<Address, 'id' | 'ip'>): Attachment | undefined {
  const associationId = text(record.AssociationId);
  if (associationId === undefined) return undefined;
  return {
    id: associationId,
    addressId: id,
    ip,
    interfaceId: text(record.NetworkInterfaceId),
    privateIp: text(record.PrivateIpAddress),
    instanceId: text(record.InstanceId),
  };
}

/** NAT gateways and load balancers hold addresses without an association, or mark them as theirs. */
function whyReserved(record: Ec2Address): string | undefined {
  const service = text(record.ServiceManaged);
  if (service !== undefined) return `managed by the service ${service}`;
  const holder = text(record.NetworkInterfaceId) ?? text(record.InstanceId);
  if (holder !== undefined && text(record.AssociationId) === undefined) return `held by ${holder}`;
  return undefined;
}

function tagsOf(record: Ec2Address): Readonly<Record<string, string>> {
  return Object.fromEntries((record.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? '']));
}
