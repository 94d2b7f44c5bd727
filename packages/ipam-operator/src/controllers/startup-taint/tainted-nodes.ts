import type { Clock } from '@static-ip/provider';
import type { Node } from '../../api/node.ts';
import { hasStartupTaint, instanceOf } from './judge-taint.ts';

/** The nodes that carry the start-up taint now: few, as a rule, beside all that do not. */
export interface TaintedNodes {
  /** Takes in a node's newest form; undefined when it is gone. Returns whether it carries the taint. */
  put(name: string, node: Node | undefined): boolean;
  /** Names of those on this instance. */
  on(instanceId: string): readonly string[];
  /** When the taint was first seen on this node, wall time in ms; now, where it was not. */
  seenAt(name: string): number;
}

interface Seen {
  readonly uid: string;
  readonly at: number;
  readonly instanceId: string | undefined;
}

/** Makes an empty memory. */
export function createTaintedNodes(clock: Pick<Clock, 'now'>): TaintedNodes {
  const nodes = new Map<string, Seen>();
  const byInstance = new Map<string, Set<string>>();

  const forget = (name: string): void => {
    const instanceId = nodes.get(name)?.instanceId ?? '';
    nodes.delete(name);
    const names = byInstance.get(instanceId);
    names?.delete(name);
    if (names?.size === 0) byInstance.delete(instanceId);
  };

  return {
    put(name, node) {
      const before = nodes.get(name);
      forget(name);
      if (node === undefined || !hasStartupTaint(node)) return false;
      const { uid } = node.metadata;
      const instanceId = instanceOf(node);
      // Another node under the same name begins anew.
      nodes.set(name, { uid, at: before?.uid === uid ? before.at : clock.now(), instanceId });
      if (instanceId !== undefined) byInstance.set(instanceId, (byInstance.get(instanceId) ?? new Set()).add(name));
      return true;
    },
    on: (instanceId) => [...(byInstance.get(instanceId) ?? [])],
    seenAt: (name) => nodes.get(name)?.at ?? clock.now(),
  };
}
