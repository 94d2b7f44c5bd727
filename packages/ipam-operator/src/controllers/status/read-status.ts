import { isStaticIpError, selectionKey } from '@static-ip/provider';
import type { Clock, StaticIpError } from '@static-ip/provider';
import { compareClaims, describeSelection, poolOf } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';
import { countPool } from '../claims/count-pool.ts';
import type { PlanningDeps } from '../planning.ts';
import { readClaims } from '../read-claims.ts';
import type { ReadClaim, ReadClaimsDeps } from '../read-claims.ts';
import { describeEip } from './describe-eip.ts';
import { describeNode } from './describe-node.ts';
import { STATES } from './object-status.ts';
import type { ObjectStatus, PoolStatus } from './object-status.ts';
import { seeCloud } from './see-cloud.ts';
import type { SeenCloud, SeenPool } from './see-cloud.ts';

export interface StatusDeps extends Omit<ReadClaimsDeps, 'now' | 'namelessEips'> {
  readonly clock: Clock;
  /** Undefined: the cloud is left out. */
  readonly openProvider: (() => Promise<PlanningDeps['provider']>) | undefined;
  /** The cloud cannot be read: the cluster's word is all there is. */
  readonly onCloudUnread: (error: StaticIpError) => void;
}

/** Who has what, and who waits and why. */
export interface ClusterStatus {
  /** The worst first, then the oldest: those who wait for one pool are in the order of their turns. */
  readonly objects: readonly ObjectStatus[];
  /** By name. Undefined: the cloud was not read. */
  readonly pools: readonly PoolStatus[] | undefined;
}

/** Reads how things stand, and changes nothing. @throws KubeError when the cluster cannot be read. */
export async function readStatus(deps: StatusDeps, signal: AbortSignal): Promise<ClusterStatus> {
  const read = await readClaims({ ...deps, now: deps.clock.now(), namelessEips: 'read' }, signal);
  const seen = await seeCloudIfPossible(read, deps, signal);
  const described = read
    .flatMap((one) => {
      const status = describe(one, seen);
      return status === undefined ? [] : [{ claim: one.claim, status }];
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || compareClaims(a.claim, b.claim));
  return { objects: described.map(({ status }) => status), pools: seen && poolsOf(seen.pools, described, read) };
}

async function seeCloudIfPossible(
  read: readonly ReadClaim[],
  { openProvider, onCloudUnread, options, clock }: StatusDeps,
  signal: AbortSignal,
): Promise<SeenCloud | undefined> {
  if (openProvider === undefined) return undefined;
  const { visibilityWindowMs, clusterName } = options;
  try {
    const provider = await openProvider();
    return await seeCloud(read, { provider, clock, visibilityWindowMs, isNamed: clusterName !== undefined }, signal);
  } catch (error) {
    if (!isStaticIpError(error)) throw error;
    onCloudUnread(error);
    return undefined;
  }
}

function describe({ claim, eip }: ReadClaim, seen: SeenCloud | undefined): ObjectStatus | undefined {
  if (eip === undefined) return describeNode(claim, seen?.nodes.get(claim.key));
  return describeEip({ claim, eip }, seen?.addresses);
}

interface Described {
  readonly claim: Claim;
  readonly status: ObjectStatus;
}

function rankOf({ status }: Described): number {
  return STATES.indexOf(status.state);
}

function poolsOf(
  pools: readonly SeenPool[],
  described: readonly Described[],
  read: readonly ReadClaim[],
): readonly PoolStatus[] {
  const claims = read.map(({ claim }) => claim);
  const waiting = countWaiting(described);
  const statuses = pools.map(({ selection, listing }) => {
    const counts = countPool(listing, claims);
    const total = counts.free + counts.attached + counts.unclaimed + counts.reserved;
    const name = describeSelection(selection);
    return { kind: 'Pool', name, total, ...counts, waiting: waiting.get(selectionKey(selection)) ?? 0 } as const;
  });
  return statuses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Objects that ask for a pool and have no address, by the pool's key. */
function countWaiting(described: readonly Described[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { claim, status } of described) {
    const pool = poolOf(claim);
    if (pool === undefined || status.state !== 'Waiting' || status.address !== undefined) continue;
    const key = selectionKey(pool);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
