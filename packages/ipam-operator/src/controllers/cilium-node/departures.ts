import type { Node } from '../../api/node.ts';
import type { Claim } from '../../core/claim.ts';

/** An object that is gone may come back with the next agent restart or the next backup: wait so long, ms, at most. */
const MAX_GRACE_MS = 30_000;

/** More than this many are not remembered, oldest first out: the rest is found by its address and reported. */
const MAX_REMEMBERED = 10_000;

/**
 * Nodes that went while this process was looking. Only for them is an address taken off a living instance: what went
 * unseen is never guessed. It needs both objects to be seen going, the CiliumNode and the Node: either alone is
 * re-created by the agent or by the kubelet.
 */
export interface Departures {
  ciliumNodeGone(name: string, claim: Claim): void;
  nodeGone(name: string, node: Node | undefined): void;
  /** The Node as it was when it went: it alone may have known the instance. */
  nodeOf(name: string): Node | undefined;
  /** The object is there (again). */
  ciliumNodeSeen(name: string): void;
  nodeSeen(name: string): void;
  /** The claim to give the address back, when both are gone. */
  claimOf(name: string): Claim | undefined;
  /** The address is off, or was never there. */
  settled(name: string): void;
  names(): readonly string[];
}

/** Makes an empty memory. */
export function createDepartures(removedTagsGraceMs: number): Departures {
  const claims = new Map<string, Claim>();
  const goneNodes = new Map<string, Node | undefined>();
  const graceMs = Math.min(removedTagsGraceMs, MAX_GRACE_MS);
  return {
    ciliumNodeGone(name, claim) {
      if (claim.assignedIp === undefined || claim.authority.kind !== 'act') return;
      claims.set(name, { ...claim, wanted: { kind: 'nothing', graceMs } });
      forgetOldest(claims);
    },
    nodeGone(name, node) {
      goneNodes.set(name, node);
      forgetOldest(goneNodes);
    },
    nodeOf: (name) => goneNodes.get(name),
    ciliumNodeSeen: (name) => void claims.delete(name),
    nodeSeen: (name) => void goneNodes.delete(name),
    claimOf: (name) => (goneNodes.has(name) ? claims.get(name) : undefined),
    settled(name) {
      claims.delete(name);
      goneNodes.delete(name);
    },
    names: () => [...claims.keys()].filter((name) => goneNodes.has(name)),
  };
}

function forgetOldest(memory: Map<string, unknown>): void {
  const [oldest] = memory.keys();
  if (memory.size > MAX_REMEMBERED && oldest !== undefined) memory.delete(oldest);
}
