import { queueName, selectionOf } from '../../core/claim.ts';
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
  /** When this process began to serve claims, monotonic ms. */
  readonly startedAt: number;
}

/** The moments that the facts are gathered by, monotonic ms: see `Facts`. */
type Moments = Pick<Facts, 'now' | 'epoch' | 'since' | 'hopefulSince'>;

/** Joins what is known about a claim right now. Free of effects: reading the cloud is `readNeeded`. */
export function gatherFacts(
  claim: Claim,
  { now, epoch, since, hopefulSince }: Moments,
  { registry, reads, holds, rules, startedAt }: GatherDeps,
): Facts {
  const resolution = claim.target === undefined ? undefined : reads.resolution(claim.target);
  const selection = selectionOf(claim);
  const listing = selection === undefined ? undefined : reads.listing(selection);
  const target = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
  const ahead = selection === undefined ? 0 : registry.ahead(claim, queueName(selection, target?.location));
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
    changedAt: holds.changedAt(claim.key),
    hopefulSince,
    detached: holds.gone,
    taken: holds.takenFor(claim.key, listing?.beganAt ?? now),
    takenPlaces: holds.placesTakenFor(claim.key),
    reservedIp: holds.reservedIp(claim.key),
    ahead,
    rivals: registry.rivals(claim),
    made: holds.made(claim.key),
    doubtUntil: Math.max(holds.doubtUntil(claim.key), inheritedDoubt(claim, { rules, startedAt })),
    released: holds.released,
    retained: holds.retained,
    unwantedForMs: registry.unwantedForMs(claim.key, now),
    rules,
  };
}

/** Fetches the facts that a plan asked for. @throws StaticIpError */
export async function readNeeded(claim: Claim, need: Need, { reads, signal, acting, isBusy }: ReadDeps): Promise<void> {
  const { target } = claim;
  const selection = selectionOf(claim);
  // While others act, one read soon confirms them all; the last of them waits for nobody.
  const urgent = need.confirms === true && acting.count === 0 && !isBusy();
  await Promise.all([
    need.listing !== undefined && selection !== undefined && reads.readListing(selection, need.listing, signal),
    need.target !== undefined && target !== undefined && reads.readTarget(target, need.target, { signal, urgent }),
  ]);
}

/** How many steps are under way, those that wait for their turn included. */
export interface Acting {
  count: number;
}

interface ReadDeps {
  readonly reads: CloudReads;
  readonly acting: Readonly<Acting>;
  /** Whether claims wait for a worker. */
  readonly isBusy: () => boolean;
  readonly signal: AbortSignal;
}

/** What a process before this one allocated last may still be hidden; not when the status names it. */
function inheritedDoubt(
  { isInherited, assignedId }: Claim,
  { rules, startedAt }: Pick<GatherDeps, 'rules' | 'startedAt'>,
): number {
  return isInherited === true && assignedId === undefined ? startedAt + rules.visibilityWindowMs : -Infinity;
}
