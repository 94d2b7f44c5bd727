import { holderOf } from './bindings.ts';
import { OUTSIDE } from './model.ts';
import type { Address, Association } from './model.ts';
import { lookUp } from './persistent-map.ts';
import { textOf } from './query.ts';
import type { Deed, Finding } from './violations.ts';

/** The rules of AssociateAddress: nothing is stolen, displaced or left to a default. */
export function judgeAssociation(deed: Deed): Finding[] {
  return [...judgeForm(deed), ...judgeServiceManaged(deed), ...(deed.failed ? [] : judgeDisplacement(deed))];
}

function judgeForm({ query }: Deed): Finding[] {
  const findings: Finding[] = [];
  if (textOf(query, 'AllowReassociation') !== 'false') {
    findings.push([
      'reassociation-allowed',
      'without AllowReassociation=false the call takes the address from whoever has it',
    ]);
  }
  if (textOf(query, 'InstanceId') !== undefined)
    findings.push(['instance-id-form', 'EC2 chooses the interface, or refuses if there are several']);
  else if (textOf(query, 'NetworkInterfaceId') === undefined)
    findings.push(['no-interface-id', 'the target is not an interface']);
  if (textOf(query, 'PrivateIpAddress') === undefined)
    findings.push(['no-private-ip', 'without PrivateIpAddress EC2 takes the primary one']);
  if (textOf(query, 'PublicIp') !== undefined)
    findings.push(['public-ip-form', 'an address is named by its allocation id']);
  return findings;
}

function judgeServiceManaged({ before, query }: Deed): Finding[] {
  const address = lookUp(before.world.addresses, textOf(query, 'AllocationId') ?? '');
  if (address === undefined || !isOfService(address)) return [];
  return [['touched-service-managed', `${address.allocationId} belongs to an AWS service`]];
}

/** Whether the address is a service's, such as a NAT gateway's or a load balancer's. */
export function isOfService(address: Address): boolean {
  return address.serviceManaged !== undefined || address.heldByInterfaceId !== undefined;
}

function judgeDisplacement(deed: Deed): Finding[] {
  const allocationId = textOf(deed.query, 'AllocationId') ?? '';
  const association = lookUp(deed.after.addresses, allocationId)?.association;
  if (association === undefined) return [];
  return [...judgeEviction(deed, allocationId, association), ...judgeMove(deed, allocationId, association)];
}

function judgeEviction(
  { call, before }: Deed,
  allocationId: string,
  { interfaceId, privateIp }: Association,
): Finding[] {
  const evicted = holderOf(before.world, interfaceId, privateIp);
  if (evicted === undefined || evicted.allocationId === allocationId || !isAssociatedByOthers(evicted, call.principal))
    return [];
  return [['displaced-foreign', `${evicted.allocationId} was put off ${interfaceId} ${privateIp}`]];
}

function judgeMove({ call, before }: Deed, allocationId: string, association: Association): Finding[] {
  const previous = lookUp(before.world.addresses, allocationId);
  if (previous?.association === undefined || previous.association.id === association.id) return [];
  if (!isAssociatedByOthers(previous, call.principal)) return [];
  return [['stolen', `${allocationId} was taken from ${previous.association.interfaceId}`]];
}

/** The rules of DisassociateAddress: a well-formed id of an association that is the caller's to end. */
export function judgeDisassociation({ call, query, before, after, failed }: Deed): Finding[] {
  const findings: Finding[] = [];
  const associationId = textOf(query, 'AssociationId') ?? '';
  if (textOf(query, 'PublicIp') !== undefined)
    findings.push(['public-ip-form', 'only an association id names one association']);
  if (!/^eipassoc-[0-9a-f]+$/.test(associationId))
    findings.push(['malformed-association-id', `'${associationId}' is no association id`]);
  const address = lookUp(before.world.addresses, lookUp(before.world.associations, associationId) ?? '');
  if (failed || address === undefined || lookUp(after.associations, associationId) !== undefined) return findings;
  if (isAssociatedByOthers(address, call.principal)) {
    findings.push(['disassociated-foreign', `${address.allocationId} was associated by ${address.association?.by}`]);
  }
  return findings;
}

/**
 * Whether the address's association is somebody else's. An address marked `foreign` decides itself; otherwise it is who
 * made the association: this access key, another one, or the test in the role of somebody outside.
 */
export function isAssociatedByOthers(address: Address, principal: string): boolean {
  if (address.foreign !== undefined) return address.foreign;
  const by = address.association?.by;
  return by === OUTSIDE || (by !== undefined && by !== principal);
}
