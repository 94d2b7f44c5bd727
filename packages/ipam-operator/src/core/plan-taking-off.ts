import type { Address, Attachment, Listing } from '@static-ip/provider';
import { notOlderThan } from './facts.ts';
import type { Facts, Observed } from './facts.ts';
import { ownStatus } from './own-status.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan } from './plan.ts';

/** A step that changes an attachment must rest on a listing of this age, ms. */
const CHANGE_MAX_AGE_MS = 2_000;

/** Takes the claim's own address off where it is; the next plan says where it goes. */
export function planTakingOff(facts: Facts, { beganAt }: Observed<Listing>, attachment: Attachment): Plan {
  const youngest = notOlderThan(facts, CHANGE_MAX_AGE_MS);
  if (beganAt < youngest) return { kind: 'read', need: { listing: youngest } };
  return { kind: 'step', step: { do: 'detach', attachment }, onFailure: KEEP };
}

/** Somebody else has attached the claim's own address somewhere. */
export function tellInUse(address: Address, { privateIp, interfaceId }: Attachment): Plan {
  const where = `${privateIp ?? 'an unknown address'} on ${interfaceId ?? 'an unknown interface'}`;
  const message = `${address.ip} is attached to ${where} by somebody else; left alone`;
  return rest({ reason: 'AddressInUse', message, status: ownStatus(address) });
}
