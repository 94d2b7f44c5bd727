import type { Address } from '@static-ip/provider';
import type { Condition } from '../../api/condition.ts';
import type { Eip } from '../../api/eip.ts';
import { CONDITION } from '../../api/names.ts';
import type { Claim } from '../../core/claim.ts';
import { isAt } from '../../core/listing-index.ts';
import { subjectOf } from '../planned-claim.ts';
import type { ReadClaim } from '../read-claims.ts';
import type { ObjectStatus, Standing } from './object-status.ts';

/** An Eip with its claim. */
export type ReadEip = Required<ReadClaim>;

/** The addresses that Eips name, as the cloud shows them, by id. */
export type SeenAddresses = ReadonlyMap<string, Address>;

/** How an Eip stands: by its conditions, and where the cloud was read, by what it shows. Pure. */
export function describeEip(read: ReadEip, seen: SeenAddresses | undefined): ObjectStatus {
  const { eip, claim } = read;
  const { publicIpAddress, privateIpAddress, resourceId } = eip.status;
  const name = resourceId ?? claim.targetName;
  return {
    ...subjectOf(claim),
    address: publicIpAddress,
    target: name === undefined ? undefined : `${eip.selector.kind === 'node' ? 'Node' : 'Pod'}/${name}`,
    privateIp: privateIpAddress,
    ...standingOf(read, seen),
  };
}

function standingOf(read: ReadEip, seen: SeenAddresses | undefined): Standing {
  const { eip } = read;
  const ready = conditionOf(eip, CONDITION.ready);
  if (eip.metadata.deletionTimestamp !== undefined) return ending(eip, ready);
  const mismatch = seen && mismatchOf(read, seen);
  if (mismatch !== undefined) return mismatch;
  if (ready === undefined) return unseen(read, seen);
  const { reason, message, lastTransitionTime: since } = ready;
  if (ready.status !== 'True') return { state: 'Waiting', reason, message, since };
  const late = whatWasMissed(read);
  if (late !== undefined) return { state: 'Waiting', ...notServed(late) };
  return { state: 'Ready', reason, since, ...leak(eip) };
}

function ending(eip: Eip, ready: Condition | undefined): Standing {
  const since = eip.metadata.deletionTimestamp;
  if (ready?.status !== 'False') return { state: 'Releasing', since, message: 'The Eip is being deleted' };
  return { state: 'Releasing', since, reason: ready.reason, message: ready.message };
}

/** The status says that the address is somewhere, or exists at least, and the cloud does not show it so. */
function mismatchOf({ eip, claim }: ReadEip, seen: SeenAddresses): Standing | undefined {
  const { assignedId: id, assignedIp: ip = '', assignedPlace: place } = claim;
  if (id === undefined) return undefined;
  const address = seen.get(id);
  if (address === undefined) return lost(`The status names ${ip}, but the cloud has no address ${id}`);
  if (!isSaidToBeAttached(eip)) return undefined;
  const { attachment } = address;
  if (attachment === undefined) return lost(`The status names ${ip}, but it is attached to nothing`);
  if (isAt(attachment, place)) return undefined;
  const where = `${attachment.interfaceId ?? 'something else'} (${attachment.privateIp ?? '-'})`;
  const message = `The status names ${ip}, but it is attached to ${where}`;
  return { state: 'Mismatch', reason: 'AddressInUse', message };
}

/** The place is written before the address is attached; the predecessor writes no attachment, but no condition either. */
function isSaidToBeAttached(eip: Eip): boolean {
  if (eip.status.associationId !== undefined) return true;
  return eip.status.eni !== undefined && conditionOf(eip, CONDITION.ready) === undefined;
}

/** No operator has said anything: a predecessor's Eip may have its address all the same. */
function unseen({ eip }: ReadEip, seen: SeenAddresses | undefined): Standing {
  const isConfirmed = seen !== undefined && isSaidToBeAttached(eip);
  const since = eip.metadata.creationTimestamp;
  return { state: isConfirmed ? 'Ready' : 'Waiting', ...notServed('It has no condition Ready'), since };
}

/** What has changed since the condition was written; undefined when nothing has. */
function whatWasMissed({ eip, claim }: ReadEip): string | undefined {
  if (claim.unplaced !== undefined) return claim.unplaced.message;
  const { resourceId, privateIpAddress } = eip.status;
  if (claim.targetName !== resourceId) return `The address belongs on ${claim.targetName ?? 'nothing'} now`;
  const privateIp = privateIpOf(claim);
  return privateIp === undefined || privateIp === privateIpAddress ? undefined : `The pod has ${privateIp} now`;
}

function privateIpOf({ target }: Claim): string | undefined {
  return target?.kind === 'privateIp' ? target.privateIp : undefined;
}

function lost(message: string): Standing {
  return { state: 'Mismatch', reason: 'AddressLost', message };
}

function notServed(what: string): Pick<Standing, 'reason' | 'message'> {
  return { reason: 'NotServed', message: `${what}: no operator has looked at it yet` };
}

/** The address is attached, but traffic was seen to leave without it. */
function leak(eip: Eip): Pick<Standing, 'reason' | 'message'> | undefined {
  const egress = conditionOf(eip, CONDITION.egressVerified);
  return egress?.status === 'False' ? { reason: egress.reason, message: egress.message } : undefined;
}

function conditionOf({ status }: Eip, type: string): Condition | undefined {
  return status.conditions.find((condition) => condition.type === type);
}
