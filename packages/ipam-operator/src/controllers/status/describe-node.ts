import type { Resolution } from '@static-ip/provider';
import type { Claim } from '../../core/claim.ts';
import { describePlan, subjectOf } from '../planned-claim.ts';
import type { SettledPlan } from '../planning.ts';
import type { ObjectStatus, Standing } from './object-status.ts';

/** What the cloud shows of a node. */
export interface SeenNode {
  readonly plan: SettledPlan;
  /** Absent: nobody knows which instance it is. */
  readonly resolution?: Resolution | undefined;
}

/** How a CiliumNode stands; undefined where it asks for nothing and has nothing. Without `seen`, by its own word. Pure. */
export function describeNode(claim: Claim, seen: SeenNode | undefined): ObjectStatus | undefined {
  const { assignedIp, target, wanted } = claim;
  if (wanted.kind === 'nothing' && assignedIp === undefined) return undefined;
  const standing = assignedIp === undefined ? withoutAddress(claim, seen) : withAddress(claim, assignedIp, seen);
  return { ...subjectOf(claim), address: assignedIp, target: target?.instanceId, ...standing };
}

function withoutAddress(claim: Claim, seen: SeenNode | undefined): Standing {
  const since = claim.createdAt > 0 ? new Date(claim.createdAt).toISOString() : undefined;
  if (seen !== undefined) return { ...notServedOr(claim, seen.plan), since };
  const why = refusalOf(claim) ?? claim.unplaced;
  return { state: 'Waiting', since, ...(why ?? { message: 'Only the cloud can tell why; see also its Events' }) };
}

function withAddress(claim: Claim, ip: string, seen: SeenNode | undefined): Standing {
  const mismatch = seen && mismatchOf(claim, ip, seen);
  if (mismatch !== undefined) return mismatch;
  if (claim.wanted.kind === 'nothing') {
    return { state: 'Releasing', reason: 'TagsRemoved', message: `The tags are gone; ${ip} goes after the grace time` };
  }
  if (seen !== undefined) return isSettled(seen.plan) ? ready(seen.plan) : notServedOr(claim, seen.plan);
  const refusal = refusalOf(claim);
  return refusal === undefined ? { state: 'Ready', reason: 'AddressAssigned' } : { state: 'Waiting', ...refusal };
}

/** The plan's own words where it waits; where it would act, nobody has done so yet. */
function notServedOr(claim: Claim, plan: SettledPlan): Standing {
  const { message, reason } = describePlan(claim, plan);
  if (plan.kind === 'rest' && plan.verdict.reason !== 'AddressAssigned') return { state: 'Waiting', reason, message };
  return { state: 'Waiting', reason: 'NotServed', message: `${message}, but no operator has done or seen it yet` };
}

function isSettled(plan: SettledPlan): plan is Extract<SettledPlan, { kind: 'rest' }> {
  return plan.kind === 'rest' && ['AddressAssigned', 'ManagedByCilium'].includes(plan.verdict.reason);
}

function ready({ verdict }: Extract<SettledPlan, { kind: 'rest' }>): Standing {
  const { reason, message } = verdict;
  return { state: 'Ready', reason, ...(reason !== 'AddressAssigned' && { message }) };
}

function mismatchOf(claim: Claim, ip: string, { plan, resolution }: SeenNode): Standing | undefined {
  if (resolution === undefined) return undefined;
  const instance = claim.target?.instanceId ?? '';
  if ('error' in resolution) {
    if (resolution.error.code !== 'notFound') return undefined;
    const message = `The status names ${ip}, but the cloud does not know ${instance}`;
    return { state: 'Mismatch', reason: 'InstanceNotFound', message };
  }
  const { holding } = resolution.target;
  if (holding?.ip === ip) return undefined;
  const held = holding === undefined ? 'no static address' : holding.ip;
  const message = `The status names ${ip}, but ${instance} holds ${held}; ${describePlan(claim, plan).message}`;
  return { state: 'Mismatch', reason: 'AddressLost', message };
}

function refusalOf({ wanted }: Claim): { readonly reason: string; readonly message: string } | undefined {
  return wanted.kind === 'refused' ? wanted.refusal : undefined;
}
