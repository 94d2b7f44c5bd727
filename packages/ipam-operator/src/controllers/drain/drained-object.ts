import { objectKey } from '@static-ip/kube';
import type { Eip } from '../../api/eip.ts';

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

/** How the addresses were treated. */
export interface AddressOutcome {
  readonly addresses: 'keep' | 'release';
  /** Names of the Eips whose addresses were released. */
  readonly released: ReadonlySet<string>;
}

/** What became of an Eip's address, in words. */
export function addressOutcome(eip: Eip, { addresses, released }: AddressOutcome): string {
  const { publicIpAddress: ip, associationId, resourceId } = eip.status;
  if (ip === undefined) return 'It had no address';
  if (addresses === 'release') {
    return released.has(objectKey(eip.metadata))
      ? `${ip} was released`
      : `${ip} was taken off, and stays in the account`;
  }
  const place = associationId === undefined ? 'attached to nothing' : `on ${resourceId ?? 'its target'}`;
  if (eip.metadata.deletionTimestamp === undefined) return `${ip} stays ${place}`;
  return `Its deletion goes through; ${ip} stays in the account, ${place}: give it back by hand`;
}
