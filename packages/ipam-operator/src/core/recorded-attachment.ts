import type { Attachment } from '@static-ip/provider';
import type { Facts } from './facts.ts';

/**
 * The attachment that the status names, unless it was taken off since. It was confirmed once, so it may be taken off by its
 * id also when no listing of the claim shows it any more: a newer attachment of the same address has another id.
 */
export function recordedAttachment({ claim, detached }: Facts): Attachment | undefined {
  const { assignedAttachment: id, assignedId: addressId, assignedIp: ip, assignedPlace: place } = claim;
  if (id === undefined || addressId === undefined || ip === undefined || detached.has(id)) return undefined;
  return { id, addressId, ip, interfaceId: place?.interfaceId, privateIp: place?.privateIp, instanceId: undefined };
}
