import { assertNever } from './assert-never.ts';

const PREFIX = 'eip.materialize.cloud/';

/** The keys of the marks on an address that was allocated for a claim. The names are those of k8s-eip-operator. */
export const OWNER_TAG = {
  /** uid of the kube-system namespace: two clusters of one name are told apart by it. */
  clusterUid: `${PREFIX}cluster_uid`,
  claimUid: `${PREFIX}eip_uid`,
  claimName: `${PREFIX}eip_name`,
  namespace: `${PREFIX}namespace`,
  clusterName: `${PREFIX}cluster_name`,
  podName: `${PREFIX}pod_name`,
  nodeSelector: `${PREFIX}node_selector`,
  /** `Retain`: stays in the account when its claim has gone. */
  reclaimPolicy: `${PREFIX}reclaim_policy`,
  displayName: 'Name',
} as const;

const RETAIN = 'Retain';

/** Whom an address is allocated for. */
export interface AddressOwner {
  readonly clusterUid: string;
  readonly clusterName: string;
  readonly namespace: string;
  readonly claimName: string;
  readonly claimUid: string;
  readonly selects:
    | { readonly kind: 'pod'; readonly podName: string }
    | { readonly kind: 'node'; readonly selector: Readonly<Record<string, string>> }
    /** Chosen by something a tag need not repeat, for example pod labels. */
    | { readonly kind: 'other' };
  /** The address shall outlive the claim: without this mark it would look lost afterwards. */
  readonly isRetained?: boolean | undefined;
}

/**
 * The tags to write in the allocating call. `defaults` are the user's own for every address; they never win over a mark,
 * since a mark decides what may be released.
 */
export function ownerTags(
  owner: AddressOwner,
  defaults: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    ...defaults,
    [OWNER_TAG.clusterUid]: owner.clusterUid,
    [OWNER_TAG.clusterName]: owner.clusterName,
    [OWNER_TAG.namespace]: owner.namespace,
    [OWNER_TAG.claimName]: owner.claimName,
    [OWNER_TAG.claimUid]: owner.claimUid,
    [OWNER_TAG.displayName]: `eip-operator:${owner.clusterName}:${owner.namespace}:${owner.claimName}`,
    ...selectorTag(owner.selects),
    ...(owner.isRetained === true && RETAINED_MARK),
  };
}

/** The mark of an address that shall outlive its claim, for one that was allocated without it. */
export const RETAINED_MARK: Readonly<Record<string, string>> = { [OWNER_TAG.reclaimPolicy]: RETAIN };

/** Whether the address is marked as one to keep after its claim. */
export function isMarkedRetained(tags: Readonly<Record<string, string>>): boolean {
  return tags[OWNER_TAG.reclaimPolicy] === RETAIN;
}

/** Whose an address is, by its tags alone. Only `ours` may be released because of its tags. */
export type Ownership =
  /** Allocated by us, for the claim of this uid, in this cluster. */
  | { readonly kind: 'ours'; readonly claimUid: string }
  /** Allocated by k8s-eip-operator, which writes no cluster uid: ours only if a claim of this uid exists here. */
  | { readonly kind: 'peer'; readonly claimUid: string }
  /** Allocated by this project in another cluster. */
  | { readonly kind: 'otherCluster' }
  /** Nobody's mark: from a pool, made by hand, or another tool's. */
  | { readonly kind: 'unmarked' };

/** Reads the marks back. An empty value is no mark: it could match any object that lacks a uid. */
export function ownershipOf(tags: Readonly<Record<string, string>>, clusterUid: string): Ownership {
  const claimUid = tags[OWNER_TAG.claimUid];
  if (claimUid === undefined || claimUid === '') return { kind: 'unmarked' };
  const cluster = tags[OWNER_TAG.clusterUid];
  if (cluster === undefined) return { kind: 'peer', claimUid };
  return cluster !== '' && cluster === clusterUid ? { kind: 'ours', claimUid } : { kind: 'otherCluster' };
}

function selectorTag(selects: AddressOwner['selects']): Readonly<Record<string, string>> {
  switch (selects.kind) {
    case 'pod':
      return { [OWNER_TAG.podName]: selects.podName };
    case 'node':
      return { [OWNER_TAG.nodeSelector]: JSON.stringify(sortedByKey(selects.selector)) };
    case 'other':
      return {};
    default:
      return assertNever(selects);
  }
}

/** Equal selectors give equal tags. */
function sortedByKey(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
