import { targetRefKey } from '@static-ip/provider';
import type { KubeClient, KubeObject, Resource } from '@static-ip/kube';
import type { Clock, Listing, StaticIpProvider } from '@static-ip/provider';
import { CILIUM_NODES } from '../api/cilium-node.ts';
import { NODES } from '../api/node.ts';
import type { OperatorOptions } from '../app/options/options.ts';
import { compareClaims, describeSelection } from '../core/claim.ts';
import type { Claim } from '../core/claim.ts';
import { planClaim } from '../core/plan-claim.ts';
import type { Plan } from '../core/plan.ts';
import { ciliumNodeClaim } from './cilium-node/cilium-node-claim.ts';
import { createClaimRegistry } from './claims/claim-registry.ts';
import { createCloudReads } from './claims/cloud-reads.ts';
import { gatherFacts, readNeeded } from './claims/gather-facts.ts';
import type { GatherDeps } from './claims/gather-facts.ts';
import { createHolds } from './claims/holds.ts';

export interface PlanDeps {
  readonly options: OperatorOptions;
  readonly kube: Pick<KubeClient, 'list' | 'isServed'>;
  /** Only read from. */
  readonly provider: Pick<StaticIpProvider, 'listAddresses' | 'resolveTargets' | 'capabilities'>;
  readonly clock: Clock;
}

/** What would be done next for one object, and why. */
export interface PlannedClaim {
  readonly kind: 'CiliumNode';
  readonly name: string;
  /** The selection in words. */
  readonly wants?: string;
  /** The address that the status names. */
  readonly holds?: string;
  readonly action: 'attach' | 'swap' | 'detach' | 'none';
  /** The address that the action is about. */
  readonly address?: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Plans every claim once, oldest first, with the planner that `run` uses; what one would take is not offered to the next.
 * Nothing is changed anywhere. @throws KubeError or StaticIpError when the cluster or the cloud cannot be read.
 */
export async function planClaims(deps: PlanDeps, signal: AbortSignal): Promise<readonly PlannedClaim[]> {
  const { provider, clock, options } = deps;
  const registry = createClaimRegistry();
  for (const claim of await claimsOf(deps, signal)) registry.put(claim, clock.monotonic());
  const claims = registry.all().toSorted(compareClaims);
  const reads = createCloudReads({
    provider,
    clock,
    upcoming: (isStale) => claims.flatMap(({ target }) => (target !== undefined && isStale(target) ? [target] : [])),
    onListing: (_selection, _listing: Listing) => undefined,
  });
  const rules = { atomicSwap: provider.capabilities.atomicSwap, visibilityWindowMs: options.visibilityWindowMs };
  // Reads that began since then are new enough: each is made once.
  const epoch = clock.monotonic();
  const parts = { registry, reads, holds: createHolds(), rules, epoch };
  const planned: PlannedClaim[] = [];
  for (const claim of claims) planned.push(describe(claim, await planOne(claim, { ...parts, clock, signal })));
  return planned;
}

async function claimsOf({ kube, options }: PlanDeps, signal: AbortSignal): Promise<readonly Claim[]> {
  if (!(await kube.isServed(CILIUM_NODES, signal))) return [];
  const nodes = new Map((await listAll(kube, NODES, signal)).map((node) => [node.metadata.name, node]));
  const rules = {
    mode: options.ciliumNodes,
    requiredTags: options.requiredTags,
    removedTagsGraceMs: options.removedTagsGraceMs,
  };
  const ciliumNodes = await listAll(kube, CILIUM_NODES, signal);
  return ciliumNodes.map((ciliumNode) => ciliumNodeClaim(ciliumNode, nodes.get(ciliumNode.metadata.name), rules));
}

async function listAll<T extends KubeObject>(
  kube: PlanDeps['kube'],
  resource: Resource<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const items: T[] = [];
  let token: string | undefined;
  do {
    const page = await kube.list(resource, { limit: 500, continue: token }, signal);
    items.push(...page.items);
    token = page.continue;
  } while (token !== undefined);
  return items;
}

interface PlanOneDeps extends GatherDeps {
  /** Monotonic ms before which no read may have begun. */
  readonly epoch: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The first plan that is not a wish for facts. */
async function planOne(claim: Claim, deps: PlanOneDeps): Promise<Exclude<Plan, { kind: 'read' }>> {
  for (;;) {
    const plan = planClaim(
      gatherFacts(claim, { now: deps.clock.monotonic(), epoch: deps.epoch, since: deps.epoch }, deps),
    );
    if (plan.kind === 'read') {
      await readNeeded(claim, plan.need, deps);
      continue;
    }
    if (plan.kind === 'rest') deps.registry.stand(claim.key, plan.verdict.queue);
    else if (plan.step.do === 'attach') {
      const [first] = plan.step.candidates;
      if (first !== undefined) deps.holds.reserve(claim.key, first);
    }
    return plan;
  }
}

function describe(claim: Claim, plan: Exclude<Plan, { kind: 'read' }>): PlannedClaim {
  const base = {
    kind: 'CiliumNode',
    name: claim.key.slice(claim.key.indexOf('/') + 1),
    ...(claim.wanted.kind === 'select' && { wants: describeSelection(claim.wanted.selection) }),
    ...(claim.assignedIp !== undefined && { holds: claim.assignedIp }),
  } as const;
  if (plan.kind === 'rest')
    return { ...base, action: 'none', reason: plan.verdict.reason, message: plan.verdict.message };
  if (plan.step.do === 'detach') {
    const { ip } = plan.step.attachment;
    return { ...base, action: 'detach', address: ip, reason: 'AddressDetached', message: `${ip} would be detached` };
  }
  const { candidates, expected, target } = plan.step;
  const [first] = candidates;
  const what = first?.kind === 'address' ? first.address.ip : `a place of ${first?.pool.id ?? 'a pool'}`;
  const action = expected === undefined ? 'attach' : 'swap';
  const message = `${what} would be attached to ${targetRefKey(target.ref)}`;
  return { ...base, action, address: what, reason: 'AddressAssigned', message };
}
