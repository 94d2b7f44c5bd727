import type { Eip } from '../../api/eip.ts';
import type { RecordedSteps } from './recorded-steps.ts';

/** What became of one object that had something of ours; `schemas/cli/drain.schema.json` describes the printed form. */
export interface DrainedObject {
  readonly kind: 'Eip' | 'Pod' | 'Node';
  /** `namespace/name`, or the name of a node. */
  readonly name: string;
  /** The address that an Eip had. */
  readonly address?: string | undefined;
  /** Nothing of ours is on it any more. */
  readonly isDone: boolean;
  /** What was done, or why not. */
  readonly message: string;
}

/** How the addresses were treated, and what was done to which, by id. */
export interface AddressOutcome extends Pick<RecordedSteps, 'takenOff' | 'released'> {
  readonly addresses: 'keep' | 'release';
}

/** What became of an Eip's address, in words. `eip` is as it was before. */
export function addressOutcome(eip: Eip, outcome: AddressOutcome): string {
  const { publicIpAddress: ip, associationId, resourceId } = eip.status;
  if (ip === undefined) return 'It had no address';
  if (outcome.addresses === 'release') return `${ip} ${ending(eip.status.allocationId ?? '', outcome)}`;
  const place = associationId === undefined ? 'attached to nothing' : `on ${resourceId ?? 'its target'}`;
  if (eip.metadata.deletionTimestamp === undefined) return `${ip} stays ${place}`;
  return `Its deletion goes through; ${ip} stays in the account, ${place}: give it back by hand`;
}

function ending(addressId: string, { takenOff, released }: AddressOutcome): string {
  if (released.has(addressId)) return 'was released';
  if (takenOff.has(addressId)) return 'was taken off, and stays in the account';
  return 'was left alone: it is gone already, attached to nothing, or attached by somebody else';
}
