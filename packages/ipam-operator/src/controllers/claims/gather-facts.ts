import { queueName } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';
import type { Facts, Rules } from '../../core/facts.ts';
import type { Need } from '../../core/plan.ts';
import type { ClaimRegistry } from './claim-registry.ts';
import type { CloudReads } from './cloud-reads.ts';
import type { Holds } from './holds.ts';

export interface GatherDeps {
  readonly registry: ClaimRegistry;
  readonly reads: CloudReads;
  readonly holds: Holds;
  readonly rules: Rules;
}

/** Joins what is known about a claim right now. Free of effects: reading the cloud is `readNeeded`. */
export function gatherFacts(
  claim: Claim,
  { now, epoch, since }: Pick<Facts, 'now' | 'epoch' | 'since'>,
  { registry, reads, holds, rules }: GatherDeps,
): Facts {
  const resolution = claim.target === undefined ? undefined : reads.resolution(claim.target);
  const listing = claim.wanted.kind === 'select' ? reads.listing(claim.wanted.selection) : undefined;
  const target = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
  const ahead =
    claim.wanted.kind === 'select' ? registry.ahead(claim, queueName(claim.wanted.selection, target?.location)) : 0;
  return {
    claim,
    now,
    epoch,
    listing,
    resolution,
    since,
    provisional: holds.provisional(claim.key),
    attempt: holds.attempt(claim.key),
    own: holds.own(claim.key),
    detached: holds.gone,
    taken: holds.takenFor(claim.key, listing?.beganAt ?? now),
    takenPlaces: holds.placesTakenFor(claim.key),
    reservedIp: holds.reservedIp(claim.key),
    ahead,
    rivals: registry.rivals(claim),
    unwantedForMs: registry.unwantedForMs(claim.key, now),
    rules,
  };
}

/** Fetches the facts that a plan asked for. @throws StaticIpError */
export async function readNeeded(claim: Claim, need: Need, { reads, signal }: ReadDeps): Promise<void> {
  const { target, wanted } = claim;
  await Promise.all([
    need.listing !== undefined && wanted.kind === 'select' && reads.readListing(wanted.selection, need.listing, signal),
    need.target !== undefined && target !== undefined && reads.readTarget(target, need.target, signal),
  ]);
}

interface ReadDeps {
  readonly reads: CloudReads;
  readonly signal: AbortSignal;
}
