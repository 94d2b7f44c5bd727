import type { Address, Attachment } from '../address.ts';
import { StaticIpError, isStaticIpError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { AllocateRequest, AttachRequest, AttachStep, DetachStep, StaticIpProvider } from '../provider.ts';
import { listAddresses, toAddress } from './addresses.ts';
import { assertTagsCanBeWritten } from './allocation-tags.ts';
import { createBorderGroups } from './border-groups.ts';
import type { Ec2Calls } from './ec2-calls.ts';
import { readInternetRoutes } from './internet-routes.ts';
import { createPrimaryInterfaces } from './primary-interfaces.ts';
import { createQuota } from './quota.ts';
import { resolveTargets } from './targets.ts';

/** Elastic IP addresses of EC2, over calls that are limited, fenced and bounded already. */
export function createEc2Provider({
  calls,
  clock,
}: {
  readonly calls: Ec2Calls;
  readonly clock: Clock;
}): StaticIpProvider {
  const borderGroups = createBorderGroups(calls, clock);
  const primaries = createPrimaryInterfaces(calls);
  const quota = createQuota(calls, clock);
  return {
    name: 'aws',
    capabilities: {
      podTargets: true,
      atomicSwap: true,
      createsFromPool: false,
      allocation: true,
      quota: true,
      routes: true,
    },
    listAddresses: async (selection, { signal }) => ({
      addresses: await listAddresses(calls, selection, signal),
      pools: [],
    }),
    resolveTargets: (refs, { signal }) => resolveTargets({ calls, borderGroups, primaries }, refs, signal),
    attach: (request, { signal }) => attach(calls, request, signal),
    detach: (attachment, { signal }) => detach(calls, attachment, signal),
    allocate: (request, { signal }) => allocate(calls, request, signal),
    release: (address, { signal }) => release(calls, address, signal),
    quota: ({ signal }) => quota(signal),
    internetRoutes: (networks, { signal }) => readInternetRoutes(calls, networks, signal),
    mark: ({ id }, tags, { signal }) => calls.createTags({ resourceId: id, tags }, signal),
  };
}

/**
 * One AssociateAddress, never repeated for what the caller's read shows already: a remap may be billed. EC2 guards the
 * address (AllowReassociation=false) but silently evicts what the target holds, so the target is guarded here.
 */
async function attach(calls: Ec2Calls, request: AttachRequest, signal: AbortSignal): Promise<AttachStep> {
  signal.throwIfAborted();
  const { target } = request;
  const address = addressOf(request);
  if (target.holding?.addressId === address.id) return { state: 'done', ip: address.ip, attachment: target.holding };
  assertFree(request, address);

  const { interfaceId, privateIp, instanceId } = target;
  const input = { allocationId: address.id, networkInterfaceId: interfaceId, privateIpAddress: privateIp };
  try {
    const id = await calls.associateAddress(input, signal);
    const attachment = { id, addressId: address.id, ip: address.ip, interfaceId, privateIp, instanceId };
    return { state: 'done', ip: address.ip, attachment };
  } catch (error) {
    if (!isAlreadyAssociated(error)) throw error;
    return afterAlreadyAssociated(calls, request, { error, signal });
  }
}

/**
 * EC2 says Resource.AlreadyAssociated of the address and, whether it does is not documented, perhaps of the target. A read
 * tells which: the address may be on our target after all, or it is free and the target must give up `expected` first.
 */
async function afterAlreadyAssociated(
  calls: Ec2Calls,
  { candidate, target, expected }: AttachRequest,
  { error, signal }: { readonly error: unknown; readonly signal: AbortSignal },
): Promise<AttachStep> {
  const id = candidate.kind === 'address' ? candidate.address.id : '';
  const [address] = await listAddresses(calls, { by: 'ids', ids: [id] }, signal);
  const attachment = address?.attachment;
  if (attachment?.interfaceId === target.interfaceId && attachment.privateIp === target.privateIp) {
    return { state: 'done', ip: attachment.ip, attachment };
  }
  if (address === undefined || attachment !== undefined || expected === undefined) throw error;
  await detach(calls, expected, signal);
  return { state: 'again', afterMs: 0 };
}

/** By association id only: a newer association of the same address has another one. */
async function detach(calls: Ec2Calls, attachment: Attachment, signal: AbortSignal): Promise<DetachStep> {
  signal.throwIfAborted();
  if (!attachment.id.startsWith('eipassoc-')) {
    const fields = { attachment: attachment.id };
    throw new StaticIpError('invalid', 'an attachment is named by an association id, eipassoc-…', { fields });
  }
  try {
    await calls.disassociateAddress(attachment.id, signal);
  } catch (error) {
    if (!hasCode(error, 'notFound')) throw error;
  }
  return { state: 'done' };
}

async function allocate(calls: Ec2Calls, request: AllocateRequest, signal: AbortSignal): Promise<Address> {
  signal.throwIfAborted();
  assertTagsCanBeWritten(request.tags);
  const { tags, pool, location } = request;
  const record = await calls.allocateAddress({ tags, publicIpv4Pool: pool, networkBorderGroup: location }, signal);
  const [address] = toAddress(record);
  if (address === undefined) {
    const fields = { allocationId: record.AllocationId ?? '' };
    throw new StaticIpError('unknown', 'EC2 allocated an address without a usable IPv4 address', { fields });
  }
  return { ...address, tags };
}

/**
 * The border group is always sent: EC2 answers that the address does not exist when it is in another one. For the same
 * reason, and because an address that was released may be somebody else's by now, only a read proves that it is gone.
 */
async function release(calls: Ec2Calls, address: Address, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await calls.releaseAddress({ allocationId: address.id, networkBorderGroup: address.location }, signal);
  } catch (error) {
    if (!hasCode(error, 'notFound') && !hasCode(error, 'denied')) throw error;
    const left = await listAddresses(calls, { by: 'ids', ids: [address.id] }, signal).catch(() => [address]);
    if (left.length > 0) throw error;
  }
}

function addressOf({ candidate }: AttachRequest): Address {
  if (candidate.kind === 'address') return candidate.address;
  throw new StaticIpError('unsupported', 'EC2 attaches addresses that exist, not places in a pool', {
    fields: { pool: candidate.pool.id },
  });
}

/** @throws StaticIpError `inUse` or `conflict` for what the caller's own reads show already */
function assertFree({ target, expected }: AttachRequest, address: Address): void {
  const fields = { address: address.id, target: target.id, holder: target.holding?.addressId ?? '' };
  if (target.holding !== undefined && target.holding.id !== expected?.id) {
    throw new StaticIpError('inUse', 'the target holds another static address', { fields });
  }
  if (address.reserved !== undefined) throw new StaticIpError('inUse', 'the address is reserved', { fields });
  if (address.attachment !== undefined)
    throw new StaticIpError('conflict', 'the address is attached elsewhere', { fields });
}

function isAlreadyAssociated(error: unknown): boolean {
  return isStaticIpError(error) && error.fields['awsCode'] === 'Resource.AlreadyAssociated';
}

function hasCode(error: unknown, code: 'notFound' | 'denied'): boolean {
  return isStaticIpError(error) && error.code === code;
}
