import type { ControllerDeps } from '../../app/compose.ts';
import { CILIUM_NODES } from '../../api/cilium-node.ts';
import type { Node } from '../../api/node.ts';
import { informerOf } from '../flow.ts';
import type { Flow, SharedInformer } from '../flow.ts';
import { CILIUM_NODE_SOURCE } from './cilium-node-claim.ts';
import { createCiliumNodeSource } from './cilium-node-source.ts';
import type { CiliumNodeSourceOptions } from './cilium-node-source.ts';

/** What the flow is made of beside the controllers' dependencies. */
export interface CiliumNodeFlowOptions extends Pick<CiliumNodeSourceOptions, 'events' | 'onChange' | 'wayOut'> {
  readonly nodes: SharedInformer<Node>;
}

/** The node flow: two informers and the claim source they feed. Nothing happens before `watch`. */
export function createCiliumNodeFlow(
  deps: ControllerDeps,
  { events, onChange, nodes, wayOut }: CiliumNodeFlowOptions,
): Flow {
  const { kube, clock, options, metrics } = deps;
  const ciliumNodes = informerOf(deps, CILIUM_NODES);
  const source = createCiliumNodeSource({
    ciliumNodes: ciliumNodes.store,
    nodes: nodes.store,
    client: kube,
    events,
    clock,
    onChange,
    wayOut,
    onAssigned: (afterMs) => metrics.assigned(CILIUM_NODE_SOURCE, afterMs),
    rules: {
      mode: options.ciliumNodes,
      requiredTags: options.requiredTags,
      removedTagsGraceMs: options.removedTagsGraceMs,
    },
  });

  return {
    name: CILIUM_NODE_SOURCE,
    resource: CILIUM_NODES,
    source,
    async watch(synced, signal) {
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
    },
  };
}
