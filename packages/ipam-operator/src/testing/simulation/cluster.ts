import { KubeError } from '@static-ip/kube';
import type { ChangeHandler, KubeClient, KubeMetadata, ReadonlyStore } from '@static-ip/kube';
import type { Clock, Random } from '@static-ip/provider';
import type { CiliumNode } from '../../api/cilium-node.ts';
import { record, text } from '../../api/json.ts';
import type { Node } from '../../api/node.ts';

/** One process's copy of the objects, always a little behind. */
export interface SimulatedView {
  readonly ciliumNodes: ReadonlyStore<CiliumNode>;
  readonly nodes: ReadonlyStore<Node>;
  /** Tells changes from now on, those of what is there already first. */
  subscribe(handlers: { readonly ciliumNode: ChangeHandler<CiliumNode>; readonly node: ChangeHandler<Node> }): void;
  /** No more changes. */
  close(): void;
}

/** The objects, and the way to change them. */
export interface SimulatedCluster {
  readonly ciliumNodes: ReadonlyMap<string, CiliumNode>;
  readonly nodes: ReadonlyMap<string, Node>;
  setCiliumNode(name: string, change: Partial<CiliumNode> | undefined): void;
  setNode(name: string, change: Partial<Node> | undefined): void;
  view(): SimulatedView;
  /** Merge patches of the one status key. */
  readonly client: Pick<KubeClient, 'patch'>;
  patches: number;
}

interface ClusterOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How far a view is behind at most, ms. */
  readonly delayMs: number;
  /** Called before a status is written. */
  readonly onPatch: (before: CiliumNode, ip: string | undefined) => void;
}

type Change =
  | { readonly kind: 'ciliumNode'; readonly name: string; readonly to: CiliumNode | undefined }
  | { readonly kind: 'node'; readonly name: string; readonly to: Node | undefined };

/** Makes an empty cluster. */
export function createSimulatedCluster({ clock, random, delayMs, onPatch }: ClusterOptions): SimulatedCluster {
  const ciliumNodes = new Map<string, CiliumNode>();
  const nodes = new Map<string, Node>();
  const feeds = new Set<(change: Change) => void>();
  let version = 0;

  const metadataOf = (name: string, before: KubeMetadata | undefined): KubeMetadata => {
    version += 1;
    const fresh = { uid: `uid-${version}`, creationTimestamp: new Date(clock.now()).toISOString() };
    const rest = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
    return { ...fresh, ...rest, ...before, name, resourceVersion: String(version) };
  };
  const tell = (change: Change): void => {
    for (const feed of feeds) feed(change);
  };

  const cluster: SimulatedCluster = {
    ciliumNodes,
    nodes,
    patches: 0,
    setCiliumNode(name, change) {
      const before = ciliumNodes.get(name);
      if (change === undefined) ciliumNodes.delete(name);
      else ciliumNodes.set(name, { ...before, ...change, metadata: metadataOf(name, before?.metadata) });
      tell({ kind: 'ciliumNode', name, to: ciliumNodes.get(name) });
    },
    setNode(name, change) {
      const before = nodes.get(name);
      if (change === undefined) nodes.delete(name);
      else nodes.set(name, { ...before, ...change, metadata: metadataOf(name, before?.metadata) });
      tell({ kind: 'node', name, to: nodes.get(name) });
    },
    view: () => {
      const seen = { ciliumNodes: new Map(ciliumNodes), nodes: new Map(nodes) };
      const stop = new AbortController();
      let handlers: Parameters<SimulatedView['subscribe']>[0] | undefined;
      let last: Promise<void> = Promise.resolve();
      const apply = (change: Change): void => {
        if (change.kind === 'ciliumNode') {
          const before = seen.ciliumNodes.get(change.name);
          replace(seen.ciliumNodes, change.name, change.to);
          handlers?.ciliumNode(change.name, before, change.to);
        } else {
          const before = seen.nodes.get(change.name);
          replace(seen.nodes, change.name, change.to);
          handlers?.node(change.name, before, change.to);
        }
      };
      const feed = (change: Change): void => {
        const dueAt = clock.monotonic() + random() * delayMs;
        last = last
          .then(() => clock.sleep(Math.max(0, dueAt - clock.monotonic()), stop.signal))
          .then(() => apply(change))
          .catch((error: unknown) => {
            if (!stop.signal.aborted) throw error;
          });
      };
      feeds.add(feed);
      return {
        ciliumNodes: storeOf(seen.ciliumNodes),
        nodes: storeOf(seen.nodes),
        subscribe: (to) => {
          handlers = to;
          for (const [name, one] of seen.nodes) to.node(name, undefined, one);
          for (const [name, one] of seen.ciliumNodes) to.ciliumNode(name, undefined, one);
        },
        close: () => {
          feeds.delete(feed);
          stop.abort();
        },
      };
    },
    client: {
      patch: async (resource, { name }, ...[patch, signal]) => {
        await clock.sleep(random() * delayMs, signal);
        const before = ciliumNodes.get(name);
        if (before === undefined) throw new KubeError('notFound', 'no such CiliumNode');
        const ip = assignedIpIn(patch.body);
        onPatch(before, ip);
        cluster.patches += 1;
        cluster.setCiliumNode(name, { assignedStaticIp: ip });
        return resource.parse({ metadata: { name, uid: before.metadata.uid, resourceVersion: '1' } });
      },
    },
  };
  return cluster;
}

function replace<T>(map: Map<string, T>, name: string, to: T | undefined): void {
  if (to === undefined) map.delete(name);
  else map.set(name, to);
}

function storeOf<T>(map: ReadonlyMap<string, T>): ReadonlyStore<T> {
  return {
    get: (key) => map.get(key),
    list: () => [...map.values()],
    keys: () => [...map.keys()],
    get size() {
      return map.size;
    },
  };
}

function assignedIpIn(body: unknown): string | undefined {
  return text(record(record(record(body)?.['status'])?.['ipam'])?.['assigned-static-ip'] ?? undefined);
}
