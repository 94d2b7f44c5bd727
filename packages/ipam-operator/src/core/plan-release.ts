import type { Target } from '@static-ip/provider';
import type { Facts, Observed } from './facts.ts';
import { placementOf } from './facts.ts';
import { errorVerdict } from './error-verdict.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan } from './plan.ts';

/** A detach must rest on a read that is younger than this, ms. */
const DETACH_MAX_AGE_MS = 2_000;

/** Plans for a claim that wants nothing: only what the status names is taken off, and only after the grace time. */
export function planRelease(facts: Facts, graceMs: number): Plan {
  const { claim, resolution, now } = facts;
  if (claim.assignedIp === undefined) return rest({ reason: 'NotRequested', message: 'No address is asked for' });
  const leftMs = graceMs - facts.unwantedForMs;
  if (leftMs > 0) return inGrace(claim.assignedIp, graceMs, leftMs);
  if (claim.target === undefined) return rest(claim.unplaced ?? { reason: 'InstanceUnknown', message: 'No instance' });
  if (resolution === undefined || resolution.beganAt < now - DETACH_MAX_AGE_MS) {
    return { kind: 'read', need: { target: now - DETACH_MAX_AGE_MS } };
  }
  const { value, beganAt } = resolution;
  if ('target' in value) return planDetach(facts, claim.assignedIp, { value: value.target, beganAt });
  return value.error.code === 'notFound'
    ? detached(claim.assignedIp)
    : { kind: 'rest', verdict: errorVerdict(value.error) };
}

function planDetach(facts: Facts, ip: string, target: Observed<Target>): Plan {
  const [heir] = facts.rivals;
  // The same instance under another name: what it holds is the other claim's to keep.
  if (heir !== undefined) {
    return rest({
      reason: 'TargetClaimed',
      message: `${heir.key} asks for the same target`,
      status: { kind: 'clear' },
    });
  }
  const { holding } = placementOf(facts, target);
  if (holding?.ip !== ip) return detached(ip);
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
