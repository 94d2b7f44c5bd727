import { objectKey } from '@static-ip/kube';
import type { KubeMetadata, KubeObject, ReadonlyStore } from '@static-ip/kube';
import type { Eip } from '../api/eip.ts';
import type { EipSelector } from '../api/eip-selector.ts';
import type { Node } from '../api/node.ts';
import type { Pod } from '../api/pod.ts';
import { LABEL } from '../api/names.ts';

type Metadata = Partial<KubeMetadata>;

/** The wall time of the tests of the Eip flow, ms. */
export const WALL = Date.parse('2026-01-01T00:10:00Z');

/** RFC 3339 text of so many ms before `WALL`. */
export function ago(ms: number): string {
  return new Date(WALL - ms).toISOString();
}

function metadata(over: Metadata & { readonly name: string }): KubeMetadata {
  return {
    uid: `uid-${over.name}`,
    resourceVersion: '1',
    creationTimestamp: ago(300_000),
    labels: {},
    annotations: {},
    finalizers: [],
    ownerReferences: [],
    ...over,
  };
}

/** A managed, ready pod `default/<name>` on node n1 with the address 10.0.0.7. */
export function pod(name: string, over: Partial<Omit<Pod, 'metadata'>> = {}, meta: Metadata = {}): Pod {
  return {
    metadata: metadata({ name, namespace: 'default', labels: { [LABEL.manage]: 'true' }, ...meta }),
    nodeName: 'n1',
    podIp: '10.0.0.7',
    phase: 'Running',
    hostNetwork: false,
    readinessGates: [],
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(200_000) }],
    ...over,
  };
}

/** A managed, ready node on instance i-0a. */
export function node(name: string, over: Partial<Omit<Node, 'metadata'>> = {}, meta: Metadata = {}): Node {
  return {
    metadata: metadata({ name, labels: { [LABEL.manage]: 'true', gateway: 'a' }, ...meta }),
    providerId: 'aws:///us-east-1a/i-0000000000000000a',
    ready: { status: 'True', lastTransitionTime: ago(200_000) },
    ...over,
  };
}

/** An Eip `default/<name>` that has nothing yet. */
export function eip(name: string, selector: EipSelector, status: Partial<Eip['status']> = {}): Eip {
  return {
    metadata: metadata({ name, namespace: 'default', generation: 1 }),
    selector,
    status: { conditions: [], ...status },
  };
}

/** The object with other metadata. */
export function withMetadata<T extends KubeObject>(object: T, over: Metadata): T {
  return { ...object, metadata: { ...object.metadata, ...over } };
}

/** A store with these objects. */
export function storeOf<T extends KubeObject>(...objects: readonly T[]): ReadonlyStore<T> {
  const byKey = new Map(objects.map((object) => [objectKey(object.metadata), object]));
  return {
    get: (key) => byKey.get(key),
    list: () => [...byKey.values()],
    keys: () => [...byKey.keys()],
    size: byKey.size,
  };
}
