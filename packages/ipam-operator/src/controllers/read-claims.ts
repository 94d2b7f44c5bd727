import { isKubeError } from '@static-ip/kube';
import type { KubeClient, KubeError, ReadonlyStore } from '@static-ip/kube';
import { CILIUM_NODES } from '../api/cilium-node.ts';
import { EIPS } from '../api/eip.ts';
import type { Eip } from '../api/eip.ts';
import { readNamespaceUid } from '../api/namespace.ts';
import { NODES } from '../api/node.ts';
import type { Node } from '../api/node.ts';
import { PODS } from '../api/pod.ts';
import type { OperatorOptions, SourceName } from '../app/options/options.ts';
import type { Claim } from '../core/claim.ts';
import { ciliumNodeClaim } from './cilium-node/cilium-node-claim.ts';
import { eipClaim } from './eip/eip-claim.ts';
import { chooseTarget } from './eip/eip-world.ts';
import { indexPods } from './eip/index-pods.ts';
import { listAll } from './list-all.ts';

export interface ReadClaimsDeps {
  readonly options: OperatorOptions;
  readonly kube: Pick<KubeClient, 'list' | 'isServed' | 'get'>;
  /** Wall time, ms. */
  readonly now: number;
  /** Whether Eips are read without `--cluster-name`: they cannot be planned then, but spoken of. */
  readonly namelessEips: 'read' | 'leave';
  /** With `--sources=auto`, one that may not be read is left out, and told here. */
  readonly onSkipped: (source: SourceName, error: KubeError) => void;
}

/** A claim, and the Eip that makes it, unless it is a CiliumNode's. */
export interface ReadClaim {
  readonly claim: Claim;
  readonly eip?: Eip;
}

/** All claims of the cluster as its objects say them once: for `plan` and `status`. @throws KubeError */
export async function readClaims(deps: ReadClaimsDeps, signal: AbortSignal): Promise<readonly ReadClaim[]> {
  const nodes = await listAll(deps.kube, { resource: NODES }, signal);
  return [
    ...(await orSkipped('cilium-node', deps, ciliumNodeClaims(deps, nodes, signal))),
    ...(await orSkipped('eip', deps, eipClaims(deps, nodes, signal))),
  ];
}

/** As in `run`, what nobody asked for by name, and may lack the rights for, does not take the rest out of sight. */
async function orSkipped(
  source: SourceName,
  { options, onSkipped }: ReadClaimsDeps,
  claims: Promise<ReadClaim[]>,
): Promise<ReadClaim[]> {
  try {
    return await claims;
  } catch (error) {
    if (options.sources !== 'auto' || !isKubeError(error, 'forbidden')) throw error;
    onSkipped(source, error);
    return [];
  }
}

type Nodes = ReadonlyStore<Node>;

async function ciliumNodeClaims(
  { kube, options }: ReadClaimsDeps,
  nodes: Nodes,
  signal: AbortSignal,
): Promise<ReadClaim[]> {
  if (!isNamed(options, 'cilium-node') || !(await kube.isServed(CILIUM_NODES, signal))) return [];
  const rules = {
    mode: options.ciliumNodes,
    requiredTags: options.requiredTags,
    removedTagsGraceMs: options.removedTagsGraceMs,
  };
  const ciliumNodes = await listAll(kube, { resource: CILIUM_NODES }, signal);
  return ciliumNodes.list().map((one) => ({ claim: ciliumNodeClaim(one, nodes.get(one.metadata.name), rules) }));
}

async function eipClaims(deps: ReadClaimsDeps, nodes: Nodes, signal: AbortSignal): Promise<ReadClaim[]> {
  const { kube, options, now, namelessEips } = deps;
  const isUsable = isNamed(options, 'eip') && (options.clusterName !== undefined || namelessEips === 'read');
  if (!isUsable || !(await kube.isServed(EIPS, signal))) return [];
  const { namespace } = options;
  const eips = await listAll(kube, { resource: EIPS, namespace }, signal);
  const pods = await listAll(kube, { resource: PODS, namespace }, signal);
  const podsFor = indexPods(pods);
  const uid = await readNamespaceUid(kube, 'kube-system', signal);
  const cluster = { uid, name: options.clusterName ?? '', defaultTags: options.defaultTags };
  return eips.list().map((eip) => {
    const choice = chooseTarget(
      eip,
      { eips, nodes, pods: podsFor(eip) },
      { now, unreadyGraceMs: options.unreadyGraceMs },
    );
    return { claim: eipClaim(eip, { cluster, choice, isInherited: false }), eip };
  });
}

function isNamed({ sources }: OperatorOptions, name: 'cilium-node' | 'eip'): boolean {
  return sources === 'auto' || sources.includes(name);
}
