import type { Claim } from '../../core/claim.ts';
import type { Verdict } from '../../core/plan.ts';

/** How one claim on an instance's own address stands, as it was last reported. */
export interface Standing {
  readonly claimKey: string;
  /** The address that the instance was seen to have, by a read, for this claim. */
  readonly confirmedIp?: string | undefined;
  readonly reason: string;
  readonly message: string;
}

/**
 * What the claims of all sources have come to, by instance. It holds what this process has found out itself: what a status
 * says from before may be about an instance that is gone.
 */
export interface Standings {
  /** Takes in a verdict. Returns the instances about which something is new. */
  put(claim: Claim, verdict: Verdict): readonly string[];
  /** The claim is gone. Returns the same. */
  forget(claimKey: string): readonly string[];
  /** Of all claims that want an address for this instance. */
  of(instanceId: string): readonly Standing[];
}

interface Entry {
  readonly instanceId: string;
  readonly standing: Standing;
}

/** Makes an empty memory. */
export function createStandings(): Standings {
  const entries = new Map<string, Entry>();
  const byInstance = new Map<string, Set<string>>();

  const forget: Standings['forget'] = (claimKey) => {
    const before = entries.get(claimKey);
    if (before === undefined) return [];
    entries.delete(claimKey);
    const keys = byInstance.get(before.instanceId);
    keys?.delete(claimKey);
    if (keys?.size === 0) byInstance.delete(before.instanceId);
    return [before.instanceId];
  };

  return {
    forget,
    put(claim, verdict) {
      const before = entries.get(claim.key);
      const after = entryOf(claim, verdict);
      if (isSame(before, after)) return [];
      const left = forget(claim.key);
      if (after === undefined) return left;
      entries.set(claim.key, after);
      byInstance.set(after.instanceId, (byInstance.get(after.instanceId) ?? new Set()).add(claim.key));
      return [...new Set([...left, after.instanceId])];
    },
    of: (instanceId) =>
      [...(byInstance.get(instanceId) ?? [])].toSorted().flatMap((key) => entries.get(key)?.standing ?? []),
  };
}

function entryOf({ key, target, wanted }: Claim, verdict: Verdict): Entry | undefined {
  if (target?.kind !== 'instance' || wanted.kind === 'nothing') return undefined;
  const { reason, message, status, queue } = verdict;
  // Who still waits in a queue has an address, if any, that is not the wanted one.
  const confirmedIp = status.kind === 'set' && queue === undefined ? status.ip : undefined;
  return { instanceId: target.instanceId, standing: { claimKey: key, confirmedIp, reason, message } };
}

function isSame(a: Entry | undefined, b: Entry | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
