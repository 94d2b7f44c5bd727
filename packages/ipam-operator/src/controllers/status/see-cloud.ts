import { selectionKey } from '@static-ip/provider';
import type { Listing, Selection } from '@static-ip/provider';
import { compareClaims, poolOf } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';
import { createPlanning } from '../planning.ts';
import type { Planning, PlanningDeps } from '../planning.ts';
import type { ReadClaim } from '../read-claims.ts';
import type { SeenAddresses } from './describe-eip.ts';
import type { SeenNode } from './describe-node.ts';

/** What the cloud shows of the objects that were read. */
export interface SeenCloud {
  /** By the key of the claim. */
  readonly nodes: ReadonlyMap<string, SeenNode>;
  readonly addresses: SeenAddresses;
  readonly pools: readonly SeenPool[];
}

/** A pool that somebody asks for. */
export interface SeenPool {
  readonly selection: Selection;
  readonly listing: Listing;
}

/**
 * Reads the cloud in few calls, whatever the number of objects: the targets of CiliumNodes and the addresses of Eips many
 * at a time, and each pool once. A CiliumNode has no condition that says why it waits, so it is planned; an Eip has.
 * @throws StaticIpError
 */
export async function seeCloud(
  read: readonly ReadClaim[],
  deps: PlanningDeps & { readonly isNamed: boolean },
  signal: AbortSignal,
): Promise<SeenCloud> {
  const all = read.map(({ claim }) => claim);
  const ofNodes = read.flatMap(({ claim, eip }) => (eip === undefined ? [claim] : [])).toSorted(compareClaims);
  const planning = createPlanning({ all, planned: ofNodes.filter(asksOrHas) }, deps, signal);
  const nodes = new Map<string, SeenNode>();
  for (const claim of ofNodes.filter(asksOrHas)) nodes.set(claim.key, await seeNode(claim, planning));
  const pools: SeenPool[] = [];
  for (const selection of poolsOf(all, deps.isNamed)) {
    const listing = await planning.listing(selection);
    if (listing !== undefined) pools.push({ selection, listing });
  }
  return { nodes, addresses: await seeAddresses(read, deps.provider, signal), pools };
}

async function seeNode(claim: Claim, planning: Planning): Promise<SeenNode> {
  const plan = await planning.planOf(claim);
  return { plan, resolution: claim.target && (await planning.resolution(claim.target)) };
}

function asksOrHas({ wanted, assignedIp }: Claim): boolean {
  return wanted.kind !== 'nothing' || assignedIp !== undefined;
}

/** Each once. Which addresses were allocated for this cluster is known by its name only. */
function poolsOf(claims: readonly Claim[], isNamed: boolean): readonly Selection[] {
  const pools = claims.filter(({ wanted }) => isNamed || !isAllocated(wanted)).flatMap((claim) => poolOf(claim) ?? []);
  return [...new Map(pools.map((pool) => [selectionKey(pool), pool])).values()];
}

function isAllocated(wanted: Claim['wanted']): boolean {
  return wanted.kind === 'own' && wanted.origin.kind === 'allocated';
}

async function seeAddresses(
  read: readonly ReadClaim[],
  provider: PlanningDeps['provider'],
  signal: AbortSignal,
): Promise<SeenAddresses> {
  const ids = read.flatMap(({ eip }) => eip?.status.allocationId ?? []);
  if (ids.length === 0) return new Map();
  const { addresses } = await provider.listAddresses({ by: 'ids', ids: [...new Set(ids)] }, { signal });
  return new Map(addresses.map((address) => [address.id, address]));
}
