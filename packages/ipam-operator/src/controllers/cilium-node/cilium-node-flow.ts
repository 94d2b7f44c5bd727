import { createInformer } from '@static-ip/kube';
import type { Informer, InformerHooks, KubeObject, Resource } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { CILIUM_NODES } from '../../api/cilium-node.ts';
import { NODES } from '../../api/node.ts';
import { CILIUM_NODE_SOURCE } from './cilium-node-claim.ts';
import { createCiliumNodeSource } from './cilium-node-source.ts';
import type { CiliumNodeSource, CiliumNodeSourceOptions } from './cilium-node-source.ts';

export interface CiliumNodeFlow {
  readonly source: CiliumNodeSource;
  /** Whether the CRD was served when it was last looked at. */
  isServed(): boolean;
  /** Looks whether the CRD is served. @throws KubeError */
  look(signal: AbortSignal): Promise<boolean>;
  /** Watches and tells changes until the signal aborts; `synced` is called once, when all objects are known. */
  watch(synced: () => void, signal: AbortSignal): Promise<void>;
}

/** What the flow is made of beside the controllers' dependencies. */
export type CiliumNodeFlowOptions = Pick<CiliumNodeSourceOptions, 'events' | 'onChange'>;

/** The node flow: two informers and the claim source they feed. Nothing happens before `watch`. */
export function createCiliumNodeFlow(
  deps: ControllerDeps,
  { events, onChange }: CiliumNodeFlowOptions,
): CiliumNodeFlow {
  const { kube, clock, options, metrics, health } = deps;
  const ciliumNodes = informerOf(deps, CILIUM_NODES);
  const nodes = informerOf(deps, NODES);
  let served = false;
  const source = createCiliumNodeSource({
    ciliumNodes: ciliumNodes.store,
    nodes: nodes.store,
    client: kube,
    events,
    clock,
    onChange,
    onAssigned: (afterMs) => metrics.assigned(CILIUM_NODE_SOURCE, afterMs),
    rules: {
      mode: options.ciliumNodes,
      requiredTags: options.requiredTags,
      removedTagsGraceMs: options.removedTagsGraceMs,
    },
  });

  return {
    source,
    isServed: () => served,
    async look(signal) {
      served = await kube.isServed(CILIUM_NODES, signal);
      return served;
    },
    async watch(synced, signal) {
      const removals = [addLiveness(health, 'ciliumnodes', ciliumNodes), addLiveness(health, 'nodes', nodes)];
      const told = Promise.all([ciliumNodes.whenSynced(signal), nodes.whenSynced(signal)]).then(
        () => {
          // Nodes first: a CiliumNode's claim needs its Node's provider id.
          nodes.subscribe(source.nodeChanged);
          ciliumNodes.subscribe(source.ciliumNodeChanged);
          synced();
        },
        () => undefined, // The signal aborted before the first list was complete.
      );
      await Promise.all([ciliumNodes.run(signal), nodes.run(signal), told]);
      for (const remove of removals) remove();
    },
  };
}

function addLiveness(health: ControllerDeps['health'], name: string, informer: Informer<KubeObject>): () => void {
  return health.addLive(name, () =>
    informer.healthy() ? { ok: true } : { ok: false, reason: `no sign of life from the watch of ${name}` },
  );
}

function informerOf<T extends KubeObject>(deps: ControllerDeps, resource: Resource<T>): Informer<T> {
  const { kube, clock, random } = deps;
  return createInformer({ client: kube, resource, clock, random, hooks: informerHooks(deps, resource.plural) });
}

function informerHooks({ logger, metrics }: ControllerDeps, plural: string): InformerHooks {
  const log = logger.child({ controller: 'informer', resource: plural });
  return {
    onError: (err, { phase, key }) => {
      metrics.watchFailed(plural, phase);
      log.warn('Watching failed', { phase, key, err });
    },
    onRelist: ({ objects, durationMs }) => {
      metrics.relisted(plural);
      log.debug('Listed', { objects, durationMs });
    },
  };
}
