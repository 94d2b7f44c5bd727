import { targetRefKey } from '@static-ip/provider';
import type { Candidate } from '@static-ip/provider';
import { describeSelection } from '../core/claim.ts';
import type { Claim } from '../core/claim.ts';
import type { Step } from '../core/plan.ts';
import { EIP_SOURCE } from './eip/eip-claim.ts';
import type { SettledPlan } from './planning.ts';

/** What would be done next for one object, and why. */
export interface PlannedClaim {
  readonly kind: 'CiliumNode' | 'Eip';
  /** `namespace/name` of an Eip. */
  readonly name: string;
  /** The selection in words. */
  readonly wants?: string;
  /** The address that the status names. */
  readonly holds?: string;
  readonly action: 'attach' | 'swap' | 'detach' | 'allocate' | 'release' | 'retain' | 'reserve' | 'none';
  /** The address that the action is about. */
  readonly address?: string;
  readonly reason: string;
  readonly message: string;
}

/** Puts a plan into words. */
export function describePlan(claim: Claim, plan: SettledPlan): PlannedClaim {
  const base = { ...subjectOf(claim), ...(claim.assignedIp !== undefined && { holds: claim.assignedIp }) };
  switch (plan.kind) {
    case 'rest':
      return { ...base, action: 'none', reason: plan.verdict.reason, message: plan.verdict.message };
    case 'record':
      return { ...base, action: 'reserve', reason: plan.verdict.reason, message: plan.verdict.message };
    case 'step':
      return { ...base, ...describeStep(plan.step) };
  }
}

/** The object that makes a claim, and what it asks for. */
export function subjectOf(claim: Claim): Pick<PlannedClaim, 'kind' | 'name' | 'wants'> {
  const slash = claim.key.indexOf('/');
  const kind = claim.key.slice(0, slash) === EIP_SOURCE ? 'Eip' : 'CiliumNode';
  return { kind, name: claim.key.slice(slash + 1), ...wants(claim) };
}

function wants({ wanted }: Claim): Pick<PlannedClaim, 'wants'> {
  if (wanted.kind === 'select') return { wants: describeSelection(wanted.selection) };
  if (wanted.kind !== 'own') return {};
  return { wants: wanted.origin.kind === 'allocated' ? 'an allocated address' : describeSelection(wanted.selection) };
}

type Described = Pick<PlannedClaim, 'action' | 'address' | 'reason' | 'message'>;

function describeStep(step: Step): Described {
  switch (step.do) {
    case 'attach': {
      const what = nameOf(step.candidates[0]);
      const message = `${what} would be attached to ${targetRefKey(step.target.ref)}`;
      const action = step.expected === undefined ? 'attach' : 'swap';
      return { action, address: what, reason: 'AddressAssigned', message };
    }
    case 'detach': {
      const { ip } = step.attachment;
      return { action: 'detach', address: ip, reason: 'AddressDetached', message: `${ip} would be detached` };
    }
    case 'allocate':
      return { action: 'allocate', reason: 'AddressReserved', message: 'An address would be allocated' };
    case 'release': {
      const { ip } = step.address;
      return { action: 'release', address: ip, reason: 'AddressDetached', message: `${ip} would be released` };
    }
    case 'retain': {
      const { ip } = step.address;
      return { action: 'retain', address: ip, reason: 'AddressDetached', message: `${ip} would be marked to be kept` };
    }
  }
}

function nameOf(candidate: Candidate | undefined): string {
  if (candidate === undefined) return 'an address';
  return candidate.kind === 'address' ? candidate.address.ip : `a place of ${candidate.pool.id}`;
}
