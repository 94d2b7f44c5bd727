import type { Address, Attachment } from '@static-ip/provider';
import type { Place } from './claim.ts';
import type { Facts } from './facts.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan, StatusChange } from './plan.ts';

/** The address is the claim's own, on no target. */
export function ownStatus({ id, ip }: Pick<Address, 'id' | 'ip'>): StatusChange {
  return { kind: 'own', address: { id, ip } };
}

/** A read has shown that what the status names is not there. */
export function lostStatus({ claim }: Facts): StatusChange {
  return claim.assignedId === undefined ? KEEP : { kind: 'clear' };
}

/**
 * The id is written down before the address is used: after a crash it tells where to go on. `place`: where it goes next,
 * so that one write says both.
 */
export function recordAddress({ id, ip }: Pick<Address, 'id' | 'ip'>, place?: Place): Plan {
  const message = `${ip} is reserved`;
  const status = { kind: 'own', address: { id, ip }, place } as const;
  return { kind: 'record', verdict: { reason: 'AddressReserved', message, status, recheck: { kind: 'resync' } } };
}

/** The address is where it belongs, as a read has shown. */
export function settledOn(attachment: Attachment): Plan {
  const { ip } = attachment;
  return rest({ reason: 'AddressAssigned', message: `${ip} is attached`, status: { kind: 'set', ip, attachment } });
}
