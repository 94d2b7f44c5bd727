import type { AgentPod } from './agent-pod.ts';
import { ALLOCATION_ANNOTATION } from './names.ts';

/** A running pod of node `node-1` with an address; `changes` is what a test is about. */
export function agentPod(
  ip: string,
  changes: Partial<Omit<AgentPod, 'metadata'>> & { readonly holds?: boolean; readonly createdAt?: string } = {},
): AgentPod {
  const { holds = true, createdAt = '2026-01-01T00:00:00Z', ...fields } = changes;
  const name = `pod-${ip}`;
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}-${createdAt}`,
      resourceVersion: '1',
      creationTimestamp: createdAt,
      annotations: holds ? { [ALLOCATION_ANNOTATION]: 'eipalloc-1' } : {},
      labels: {},
      finalizers: [],
      ownerReferences: [],
    },
    nodeName: 'node-1',
    hostNetwork: false,
    finished: false,
    ipv4: ip,
    ...fields,
  };
}

/** A source of pods that a test fills. */
export function podSource(first: readonly AgentPod[]) {
  let pods = first;
  const handlers = new Set<() => void>();
  return {
    list: () => pods,
    whenSynced: () => Promise.resolve(),
    subscribe: (onChange: () => void) => {
      handlers.add(onChange);
      return () => void handlers.delete(onChange);
    },
    set: (next: readonly AgentPod[]) => {
      pods = next;
      for (const handler of handlers) handler();
    },
  };
}
