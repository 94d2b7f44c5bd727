import { ownerTags } from '@static-ip/provider';
import type { Address, Attachment, Listing, Target } from '@static-ip/provider';
import type { Claim } from '../core/claim.ts';
import type { Facts, Observed } from '../core/facts.ts';

/** Time of every fact that a test says nothing about. */
export const NOW = 100_000;

/** A claim that wants an address of pool a on instance i-1, and has none. */
export function claim(over: Partial<Claim> = {}): Claim {
  return {
    key: 'cilium-node/n1',
    uid: 'uid-n1',
    createdAt: 1_000,
    wanted: { kind: 'select', selection: { by: 'tags', tags: { pool: 'a' } } },
    target: { kind: 'instance', instanceId: 'i-1' },
    authority: { kind: 'act' },
    ...over,
  };
}

export const CLUSTER_UID = 'cluster-1';

/** The marks of an address that was made for the claim of this uid in this cluster. */
export function marks(claimUid: string): Readonly<Record<string, string>> {
  const selects = { kind: 'pod', podName: 'web-0' } as const;
  const owner = { clusterUid: CLUSTER_UID, clusterName: 'prod', namespace: 'default', claimName: 'web', claimUid };
  return ownerTags({ ...owner, selects });
}

/** A claim of the Eip `default/web`, uid-1, that wants an address made for it on instance i-1, and has none. */
export function ownClaim(over: Partial<Claim> = {}): Claim {
  const origin = { kind: 'allocated', clusterUid: CLUSTER_UID, request: { tags: marks('uid-1') } } as const;
  return claim({
    key: 'eip/default/web',
    uid: 'uid-1',
    wanted: { kind: 'own', selection: { by: 'tags', tags: { cluster: 'prod' } }, origin },
    ...over,
  });
}

/** The primary place of instance i-1, holding nothing. */
export function target(over: Partial<Target> = {}): Target {
  return {
    ref: { kind: 'instance', instanceId: 'i-1' },
    id: 'eni-1/10.0.0.1',
    interfaceId: 'eni-1',
    privateIp: '10.0.0.1',
    instanceId: 'i-1',
    location: 'region',
    ...over,
  };
}

/** Address n of pool a: `a-n`, 198.51.100.n; free. */
export function address(n: number, over: Partial<Address> = {}): Address {
  return { id: `a-${n}`, ip: `198.51.100.${n}`, tags: { pool: 'a' }, location: 'region', ...over };
}

/** Address n on a place; by default that of `target()`. */
export function attachment(n: number, over: Partial<Attachment> = {}): Attachment {
  return {
    id: `as-${n}`,
    addressId: `a-${n}`,
    ip: `198.51.100.${n}`,
    interfaceId: 'eni-1',
    privateIp: '10.0.0.1',
    instanceId: 'i-1',
    ...over,
  };
}

export function listing(...addresses: readonly Address[]): Listing {
  return { addresses, pools: [] };
}

/** Seen a moment ago. */
export function seen<T>(value: T, ageMs = 10): Observed<T> {
  return { value, beganAt: NOW - ageMs };
}

/** Facts of `claim()` and `target()` with two free addresses, all fresh. */
export function facts(over: Partial<Facts> = {}): Facts {
  return {
    claim: claim(),
    now: NOW,
    epoch: NOW - 30_000,
    listing: seen(listing(address(1), address(2))),
    resolution: seen({ ref: target().ref, target: target() }),
    detached: new Set(),
    taken: new Set(),
    takenPlaces: new Map(),
    ahead: 0,
    changedAt: -Infinity,
    hopefulSince: -Infinity,
    rivals: [],
    made: undefined,
    doubtUntil: -Infinity,
    released: new Set(),
    retained: new Set(),
    unwantedForMs: 0,
    rules: { atomicSwap: true, visibilityWindowMs: 60_000 },
    ...over,
  };
}
