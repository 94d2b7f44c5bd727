import { isMarkedRetained, isSelected, OWNER_TAG, ownershipOf } from '@static-ip/provider';
import type { Address } from '@static-ip/provider';
import { LEGACY_CLUSTER_TAG } from '../api/names.ts';

/** What the sweep needs to know of one claim that exists. */
export interface LiveClaim {
  readonly uid: string;
  /** Its object is being finalized: the claim engine gives its address back. */
  readonly isEnding: boolean;
  /** Ids of the addresses that the object names, whoever made them. */
  readonly addressIds: readonly string[];
  /** Tags of the pool that it takes its address from. */
  readonly poolTags?: Readonly<Record<string, string>> | undefined;
}

/** All that is looked at. The cloud was read before the cluster, so that no claim of an address can be missing. */
export interface SweepFacts {
  readonly addresses: readonly Address[];
  readonly claims: readonly LiveClaim[];
  readonly scope: SweepScope;
  /** By id of address: monotonic ms since which every look has found it without a claim. */
  readonly suspectedSince: ReadonlyMap<string, number>;
  /** Monotonic ms. */
  readonly now: number;
  readonly minAgeMs: number;
}

/** Which addresses are this cluster's to sweep. */
export interface SweepScope {
  /** uid of the kube-system namespace. */
  readonly clusterUid: string;
  readonly clusterName: string;
  /** Also those that carry the cluster's name only, which k8s-eip-operator wrote. */
  readonly peerTags: boolean;
  /** The only namespace whose claims are known; absent: all are. */
  readonly namespace?: string | undefined;
}

/** What becomes of an address: `leaked`, or why it is spared. The first that holds, in this order. */
export type Fate =
  /** Marks of another cluster, or none that count here. */
  | 'foreign'
  /** Of a namespace whose claims are not known. */
  | 'otherNamespace'
  /** Its claim is being finalized. */
  | 'ending'
  | 'claimed'
  /** Marked to be kept after its claim. */
  | 'retained'
  /** Attached to something, whoever did it. */
  | 'attached'
  /** The cloud keeps it for something else. */
  | 'reserved'
  /** Not one claim was found: rather a wrong list than an empty cluster. */
  | 'unproven'
  | 'young'
  | 'leaked';

export interface SweptAddress {
  readonly address: Address;
  readonly fate: Fate;
}

export interface SweepPlan {
  readonly swept: readonly SweptAddress[];
  /** Those that may be released, longest suspected first. */
  readonly leaked: readonly Address[];
  /** What the next look begins with: one that was spared for any reason but its youth starts anew. */
  readonly suspectedSince: ReadonlyMap<string, number>;
}

/** Decides about every address. Pure; nothing that is not proved to be ours, free, unclaimed and old is `leaked`. */
export function planSweep(facts: SweepFacts): SweepPlan {
  const spared = createSparing(facts);
  const suspectedSince = new Map<string, number>();
  const swept = facts.addresses.map((address): SweptAddress => {
    const why = spared(address);
    if (why !== undefined) return { address, fate: why };
    const since = facts.suspectedSince.get(address.id) ?? facts.now;
    suspectedSince.set(address.id, since);
    return { address, fate: facts.now - since < facts.minAgeMs ? 'young' : 'leaked' };
  });
  const since = ({ id }: Address): number => suspectedSince.get(id) ?? facts.now;
  const leaked = swept.flatMap(({ address, fate }) => (fate === 'leaked' ? [address] : []));
  return { swept, suspectedSince, leaked: leaked.toSorted((a, b) => since(a) - since(b) || (a.id < b.id ? -1 : 1)) };
}

/** Which states spare an address, whatever its age. */
function createSparing({ claims, scope }: SweepFacts): (address: Address) => Fate | undefined {
  const byUid = new Map(claims.map((claim) => [claim.uid, claim]));
  const byAddress = new Map(claims.flatMap((claim) => claim.addressIds.map((id) => [id, claim] as const)));
  const pools = claims.flatMap(({ poolTags }) => (poolTags === undefined ? [] : [poolTags]));
  const claimOf = ({ id, tags }: Address): LiveClaim | undefined =>
    byUid.get(tags[OWNER_TAG.claimUid] ?? '') ?? byAddress.get(id);

  return (address) => {
    if (!isOfCluster(address.tags, scope)) return 'foreign';
    if (scope.namespace !== undefined && address.tags[OWNER_TAG.namespace] !== scope.namespace) return 'otherNamespace';
    const claim = claimOf(address);
    if (claim !== undefined) return claim.isEnding ? 'ending' : 'claimed';
    // A claim may be about to take it out of its pool.
    if (pools.some((pool) => isSelected({ by: 'tags', tags: pool }, address))) return 'claimed';
    return keptAnyway(address) ?? (claims.length === 0 ? 'unproven' : undefined);
  };
}

/** Why an address stays although no claim has it. */
function keptAnyway({ tags, attachment, reserved }: Address): Fate | undefined {
  if (isMarkedRetained(tags)) return 'retained';
  if (attachment !== undefined) return 'attached';
  return reserved === undefined ? undefined : 'reserved';
}

/** By our marks for certain; by the predecessor's, which any cluster of the same name wrote, only when told to. */
function isOfCluster(tags: Address['tags'], { clusterUid, clusterName, peerTags }: SweepScope): boolean {
  const { kind } = ownershipOf(tags, clusterUid);
  if (kind === 'ours') return true;
  if (!peerTags || clusterName === '' || tags[OWNER_TAG.clusterUid] !== undefined) return false;
  const isNamed = kind === 'peer' && tags[OWNER_TAG.clusterName] === clusterName;
  return isNamed || tags[LEGACY_CLUSTER_TAG] === clusterName;
}
