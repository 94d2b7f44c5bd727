import type { Target } from '@static-ip/provider';
import type { Facts, Observed } from './facts.ts';
import { attemptOn, notOlderThan, placementOf } from './facts.ts';
import { errorVerdict } from './error-verdict.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan } from './plan.ts';

/** A detach must rest on a read that is younger than this, ms. */
const DETACH_MAX_AGE_MS = 2_000;

/**
 * Plans for a claim that wants nothing: what the status names is taken off after the grace time. What was attached while
 * the wish was taken back goes at once: no status has named it, so nobody relies on it.
 */
export function planRelease(facts: Facts, graceMs: number): Plan {
  const { claim, provisional, rivals } = facts;
  if (provisional !== undefined && rivals.length === 0 && provisional.attachment.ip !== claim.assignedIp) {
    return { kind: 'step', step: { do: 'detach', attachment: provisional.attachment }, onFailure: KEEP };
  }
  const ip = claim.assignedIp ?? facts.attempt?.ip;
  if (ip === undefined) return rest({ reason: 'NotRequested', message: 'No address is asked for' });
  return planDetachOf(ip, facts, claim.assignedIp === undefined ? 0 : graceMs);
}

function planDetachOf(ip: string, facts: Facts, graceMs: number): Plan {
  const { claim, resolution } = facts;
  const leftMs = graceMs - facts.unwantedForMs;
  if (leftMs > 0) return inGrace(ip, graceMs, leftMs);
  if (claim.target === undefined) return rest(claim.unplaced ?? { reason: 'InstanceUnknown', message: 'No instance' });
  const notBefore = Math.max(notOlderThan(facts, DETACH_MAX_AGE_MS), facts.attempt?.failedAt ?? -Infinity);
  if (resolution === undefined || resolution.beganAt < notBefore) return { kind: 'read', need: { target: notBefore } };
  const { value, beganAt } = resolution;
  if ('target' in value) return planDetach(facts, ip, { value: value.target, beganAt });
  return value.error.code === 'notFound' ? detached(ip) : { kind: 'rest', verdict: errorVerdict(value.error) };
}

function planDetach(facts: Facts, ip: string, target: Observed<Target>): Plan {
  const { now, rivals } = facts;
  const [heir] = rivals;
  // The same instance under another name: what it holds is the other claim's to keep.
  if (heir !== undefined) {
    return rest({
      reason: 'TargetClaimed',
      message: `${heir.key} asks for the same target`,
      status: { kind: 'clear' },
    });
  }
  const { holding } = placementOf(facts, target);
  const isAwaited = attemptOn(facts, target.value.id)?.ip === ip;
  if (holding?.ip !== ip) return isAwaited ? { kind: 'read', need: { target: now } } : detached(ip);
  return { kind: 'step', step: { do: 'detach', attachment: holding }, onFailure: KEEP };
}

function inGrace(ip: string, graceMs: number, leftMs: number): Plan {
  return rest({
    reason: 'TagsRemoved',
    message: `The tags are gone; ${ip} stays for a grace time of ${Math.round(graceMs / 1_000)} s`,
    recheck: { kind: 'after', ms: leftMs },
  });
}

function detached(ip: string): Plan {
  return rest({ reason: 'AddressDetached', message: `${ip} is no longer attached`, status: { kind: 'clear' } });
}
