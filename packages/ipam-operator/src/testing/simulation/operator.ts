import type { Clock, Random } from '@static-ip/provider';
import { createCiliumNodeSource } from '../../controllers/cilium-node/cilium-node-source.ts';
import { createClaimEngine } from '../../controllers/claims/claim-engine.ts';
import type { Chronicle } from './chronicle.ts';
import type { SimulatedCloud } from './cloud.ts';
import type { SimulatedCluster } from './cluster.ts';

export interface OperatorWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly cloud: SimulatedCloud;
  readonly cluster: SimulatedCluster;
  readonly chronicle: Chronicle;
  readonly graceMs: number;
}

/** One process of the operator: the real engine and the real node flow, on simulated ports. */
export interface SimulatedOperator {
  /** As `kill -9`: nothing that it is at comes to an end. */
  kill(): void;
  readonly depth: () => number;
}

/** Starts it, synced with what the cluster holds now. */
export function startSimulatedOperator(world: OperatorWorld): SimulatedOperator {
  const { clock, random, cloud, cluster, chronicle } = world;
  const life = { isDead: false };
  const stop = new AbortController();
  const view = cluster.view();
  const source = createCiliumNodeSource({
    ciliumNodes: view.ciliumNodes,
    nodes: view.nodes,
    client: {
      patch: (...call) => (life.isDead ? new Promise<never>(() => undefined) : cluster.client.patch(...call)),
    },
    events: { record: () => undefined },
    clock,
    rules: { mode: 'auto', requiredTags: {}, removedTagsGraceMs: world.graceMs },
    onChange: (key) => engine.touch(key),
    onAssigned: () => undefined,
    wayOut: () => ({ kind: 'unknown' }),
  });
  const engine = createClaimEngine({
    provider: cloud.connect(life),
    sources: [source],
    clock,
    random,
    hooks: {
      onStep: () => undefined,
      onFailure: (claim, error) => chronicle.note(`${claim.key}: ${error.code} ${error.message}`),
      onVerdict: (claim, { reason, message }) => chronicle.note(`${claim.key}: ${reason}, ${message}`),
      onResync: () => undefined,
      onGone: () => undefined,
      onListing: () => undefined,
      onOutcome: ({ key, outcome }) => {
        if (outcome.kind === 'error') chronicle.note(`${key}: reconcile failed, ${String(outcome.error)}`);
      },
    },
    resyncIntervalMs: 60_000,
    visibilityWindowMs: 60_000,
    workers: 16,
  });
  view.subscribe({ ciliumNode: source.ciliumNodeChanged, node: source.nodeChanged });
  void engine.run(stop.signal).catch((error: unknown) => chronicle.violation(`the engine ended: ${String(error)}`));
  return {
    depth: engine.depth,
    kill: () => {
      life.isDead = true;
      view.close();
      stop.abort();
    },
  };
}
