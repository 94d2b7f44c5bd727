import type { Tags } from '@static-ip/cni-config';
import type { CiliumNode } from '../api/cilium-node.ts';
import type { PublishInput } from './plan-publish.ts';

interface NewNode {
  readonly tags?: Tags;
  readonly writers?: readonly string[];
  readonly generation?: number;
  readonly uid?: string;
  readonly cloud?: CiliumNode['cloud'];
}

/** A CiliumNode as the agent reads it; by default without tags. */
export function nodeWith({ tags, writers = [], generation = 1, uid = 'uid-1', cloud }: NewNode = {}): CiliumNode {
  const metadata = {
    name: 'node-1',
    uid,
    resourceVersion: '1',
    generation,
    labels: {},
    annotations: {},
    finalizers: [],
    ownerReferences: [],
  };
  return { metadata, tags, otherWriters: writers, cloud, enis: [], nodeUid: undefined, assignedStaticIp: undefined };
}

/** What a pass finds; by default files that ask for nothing, a CiliumNode without tags, and Cilium in cluster-pool mode. */
export function inputWith(parts: Partial<PublishInput> = {}): PublishInput {
  const file = parts.file ?? { kind: 'certain', tags: undefined };
  return {
    mode: 'auto',
    graceMs: 300_000,
    file,
    lastCertain: file.kind === 'certain' ? file : undefined,
    flag: undefined,
    node: nodeWith(),
    ciliumConfig: { ipam: 'cluster-pool' },
    history: undefined,
    nowMs: 1_000,
    ...parts,
  };
}
