import { ownerTags, OWNER_TAG } from '@static-ip/provider';
import type { AddressOwner } from '@static-ip/provider';
import { validateTags } from '@static-ip/cni-config';
import type { Eip } from '../../api/eip.ts';
import type { Claim, Origin, OwnWish, Place, Wanted } from '../../core/claim.ts';
import type { Choice, Chosen } from './choice.ts';

/** The first part of the claims' keys, and the word for this flow in `--sources`. */
export const EIP_SOURCE = 'eip';

/** Who we are in the marks of addresses, and what every address gets beside them. */
export interface Cluster {
  /** uid of the kube-system namespace. */
  readonly uid: string;
  readonly name: string;
  readonly defaultTags: Readonly<Record<string, string>>;
}

export interface EipContext {
  readonly cluster: Cluster;
  readonly choice: Choice;
  /** The object was there, with our finalizer, before this process looked. */
  readonly isInherited: boolean;
  /** It shall end though the Eip stays: what it has goes back as if it were deleted. */
  readonly isDrained?: boolean | undefined;
}

/** The claim an Eip makes. Pure. */
export function eipClaim(eip: Eip, { cluster, choice, isInherited, isDrained = false }: EipContext): Claim {
  const { metadata, status } = eip;
  const isEnding = isDrained || metadata.deletionTimestamp !== undefined;
  return {
    key: keyOf(eip),
    uid: metadata.uid,
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    wanted: wantedBy(eip, cluster, isEnding),
    ...('nobody' in choice ? { unplaced: choice.nobody } : placed(choice)),
    assignedIp: status.publicIpAddress,
    assignedId: status.allocationId,
    assignedPlace: placeOf(eip),
    assignedAttachment: status.associationId,
    isInherited,
    authority: { kind: 'act' },
  };
}

function placed({ target, resourceId, reviewAt }: Chosen): Pick<Claim, 'target' | 'targetName' | 'reviewAt'> {
  return { target, targetName: resourceId, reviewAt };
}

/** The key of an Eip's claim. */
function keyOf({ metadata }: Pick<Eip, 'metadata'>): string {
  return `${EIP_SOURCE}/${metadata.namespace ?? ''}/${metadata.name}`;
}

function placeOf({ status }: Eip): Place | undefined {
  const { eni, privateIpAddress } = status;
  return eni === undefined || privateIpAddress === undefined
    ? undefined
    : { interfaceId: eni, privateIp: privateIpAddress };
}

function wantedBy(eip: Eip, cluster: Cluster, isEnding: boolean): Wanted {
  const { selector } = eip;
  if (selector.kind === 'invalid' && !isEnding) {
    return { kind: 'refused', refusal: { reason: 'RequestInvalid', message: selector.problem } };
  }
  const [problem] = eip.staticIpTags === undefined ? [] : validateTags(eip.staticIpTags, { use: 'select' });
  if (problem !== undefined && !isEnding) {
    return { kind: 'refused', refusal: { reason: 'TagsInvalid', message: `spec.staticIpTags: ${problem.message}` } };
  }
  const ending = isEnding ? { ending: { release: eip.reclaimPolicy !== 'Retain' } } : {};
  return { kind: 'own', ...sourceOf(eip, cluster), ...ending };
}

function sourceOf(eip: Eip, cluster: Cluster): Pick<OwnWish, 'selection' | 'origin'> {
  if (eip.allocationId !== undefined) {
    const { allocationId } = eip;
    return { selection: { by: 'ids', ids: [allocationId] }, origin: { kind: 'given', addressId: allocationId } };
  }
  if (eip.staticIpTags !== undefined) {
    return { selection: { by: 'tags', tags: eip.staticIpTags }, origin: { kind: 'adopted' } };
  }
  // One read for all addresses that were made for this cluster, by us or by the predecessor, which marks by name only.
  const selection = { by: 'tags', tags: { [OWNER_TAG.clusterName]: cluster.name } } as const;
  return { selection, origin: allocatedFor(eip, cluster) };
}

function allocatedFor(eip: Eip, cluster: Cluster): Origin {
  const { metadata, publicIpv4Pool, networkBorderGroup } = eip;
  const owner: AddressOwner = {
    clusterUid: cluster.uid,
    clusterName: cluster.name,
    namespace: metadata.namespace ?? '',
    claimName: metadata.name,
    claimUid: metadata.uid,
    selects: selects(eip),
    isRetained: eip.reclaimPolicy === 'Retain',
  };
  const request = {
    tags: ownerTags(owner, cluster.defaultTags),
    pool: publicIpv4Pool,
    location: networkBorderGroup,
  };
  return { kind: 'allocated', clusterUid: cluster.uid, request };
}

function selects({ selector }: Eip): AddressOwner['selects'] {
  switch (selector.kind) {
    case 'pod':
      return { kind: 'pod', podName: selector.podName };
    case 'node':
      return { kind: 'node', selector: selector.labels };
    case 'podLabels':
    case 'invalid':
      return { kind: 'other' };
  }
}
