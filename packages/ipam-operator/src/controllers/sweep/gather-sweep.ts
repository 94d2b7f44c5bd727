import type { KubeClient } from '@static-ip/kube';
import { OWNER_TAG } from '@static-ip/provider';
import type { Address, StaticIpProvider } from '@static-ip/provider';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { LEGACY_CLUSTER_TAG } from '../../api/names.ts';
import { readNamespaceUid } from '../../api/namespace.ts';
import type { LiveClaim, SweepFacts, SweepScope } from '../../core/plan-sweep.ts';

export interface GatherSweepDeps {
  readonly kube: Pick<KubeClient, 'list' | 'get'>;
  readonly provider: Pick<StaticIpProvider, 'listAddresses'>;
  readonly scope: Omit<SweepScope, 'clusterUid'>;
}

const PAGE_SIZE = 500;

/**
 * Reads the cloud, then the cluster: what is allocated in between is not in the listing, and an object that goes in
 * between only makes its address look unclaimed for one more run. Every run asks anew who the cluster is, so that both
 * answers come from one API server.
 * @throws StaticIpError, KubeError, or Error for an object that cannot be read: a part of the claims is no basis.
 */
export async function gatherSweep(
  { kube, provider, scope }: GatherSweepDeps,
  signal: AbortSignal,
): Promise<Pick<SweepFacts, 'addresses' | 'claims' | 'scope'>> {
  const clusterUid = await readNamespaceUid(kube, 'kube-system', signal);
  const addresses = await listMarked(provider, { ...scope, clusterUid }, signal);
  const claims = await listClaims(kube, scope.namespace, signal);
  return { addresses, claims, scope: { ...scope, clusterUid } };
}

async function listMarked(
  provider: GatherSweepDeps['provider'],
  { clusterUid, clusterName, peerTags }: SweepScope,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const marks: Record<string, string>[] = [{ [OWNER_TAG.clusterUid]: clusterUid }];
  if (peerTags) marks.push({ [OWNER_TAG.clusterName]: clusterName }, { [LEGACY_CLUSTER_TAG]: clusterName });
  const found = new Map<string, Address>();
  for (const tags of marks) {
    const { addresses } = await provider.listAddresses({ by: 'tags', tags }, { signal });
    for (const address of addresses) {
      const before = found.get(address.id);
      // Where two reads differ, the one that shows it in use counts.
      if (before?.attachment === undefined) found.set(address.id, address);
    }
  }
  return [...found.values()];
}

/** A consistent list from the API server, all pages of it: a cache may not know yet what was made a moment ago. */
async function listClaims(
  kube: GatherSweepDeps['kube'],
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly LiveClaim[]> {
  const claims: LiveClaim[] = [];
  let token: string | undefined;
  do {
    const page = await kube.list(EIPS, { namespace, limit: PAGE_SIZE, continue: token }, signal);
    const [rejected] = page.rejected;
    if (rejected !== undefined) {
      throw new Error(`the Eip ${rejected.key} cannot be read, and so neither what it claims`, {
        cause: rejected.error,
      });
    }
    for (const eip of page.items) claims.push(liveClaim(eip));
    token = page.continue;
  } while (token !== undefined);
  return claims;
}

function liveClaim({ metadata, allocationId, staticIpTags, status }: Eip): LiveClaim {
  return {
    uid: metadata.uid,
    isEnding: metadata.deletionTimestamp !== undefined,
    addressIds: [allocationId, status.allocationId].flatMap((id) => id ?? []),
    poolTags: staticIpTags,
  };
}
