import type { Address, Attachment, Listing } from '@static-ip/provider';
import { TAKE_OFF_MAX_AGE_MS } from './current-attachment.ts';
import { notOlderThan } from './facts.ts';
import type { Facts, Observed } from './facts.ts';
import { ownStatus } from './own-status.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan } from './plan.ts';

/** Takes the claim's own address off where it is; the next plan says where it goes. */
export function planTakingOff(facts: Facts, { beganAt }: Observed<Listing>, attachment: Attachment): Plan {
  const youngest = notOlderThan(facts, TAKE_OFF_MAX_AGE_MS);
  if (beganAt < youngest) return { kind: 'read', need: { listing: youngest } };
  return { kind: 'step', step: { do: 'detach', attachment }, onFailure: KEEP };
}

/** Somebody else has attached the claim's own address somewhere. */
export function tellInUse(address: Address, { privateIp, interfaceId }: Attachment): Plan {
  const where = `${privateIp ?? 'an unknown address'} on ${interfaceId ?? 'an unknown interface'}`;
  const message = `${address.ip} is attached to ${where} by somebody else; left alone`;
  return rest({ reason: 'AddressInUse', message, status: ownStatus(address) });
}
