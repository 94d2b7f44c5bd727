import { createWorkQueue, runController, settled } from '@static-ip/kube';
import type { EventRecorder, WorkQueue } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { EIPS } from '../../api/eip.ts';
import { FINALIZER } from '../../api/names.ts';
import { readNamespaceUid } from '../../api/namespace.ts';
import type { Node } from '../../api/node.ts';
import { PODS } from '../../api/pod.ts';
import { traceRuns } from '../../telemetry/tracer.ts';
import { informerOf } from '../flow.ts';
import type { Flow, SharedInformer } from '../flow.ts';
import { EIP_SOURCE } from './eip-claim.ts';
import { subscribeToChanges } from './eip-changes.ts';
import { createEipSource } from './eip-source.ts';
import type { EipSourceOptions } from './eip-source.ts';
import { createEipWriter } from './eip-writer.ts';
import { installEipCrd } from './install-eip-crd.ts';
import { createReferences } from './references.ts';
import { tendNode } from './tend-node.ts';
import { tendPod } from './tend-pod.ts';

export interface EipFlowOptions {
  readonly nodes: SharedInformer<Node>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** The claim of this key is not what it was. */
  readonly onChange: (key: string) => void;
  readonly wayOut: EipSourceOptions['wayOut'];
}

/** How many pods (and nodes) are tended at once: each needs a write or two at most. */
const TENDERS = 8;

/** Pause before the cluster is asked again who it is, ms. */
const RETRY_MS = 2_000;

/** The Eip flow: three informers, the claim source, and two small controllers that tend pods and nodes. */
export function createEipFlow(deps: ControllerDeps, { nodes, events, onChange, wayOut }: EipFlowOptions): Flow {
  const { kube, clock, options, metrics, logger } = deps;
  const eips = informerOf(deps, EIPS);
  const pods = informerOf(deps, PODS);
  const stores = { eips: eips.store, pods: pods.store, nodes: nodes.store };
  const writer = createEipWriter(kube);
  const log = logger.child({ controller: EIP_SOURCE });
  const references = createReferences();
  const cluster = { uid: '', name: options.clusterName ?? '', defaultTags: options.defaultTags };
  const inherited = new Set<string>();
  const source = createEipSource({
    stores,
    writer,
    events,
    clock,
    cluster: () => cluster,
    unreadyGraceMs: options.unreadyGraceMs,
    inherited,
    wayOut,
    onAssigned: (afterMs) => metrics.assigned(EIP_SOURCE, afterMs),
  });
  const tenders = createTenders(deps, {
    pods: (key, signal) => {
      const parts = {
        ...stores,
        namedBy: (podKey: string) => references.toPod(podKey),
        client: kube,
        writer,
        onForeignAnnotation,
      };
      return tendPod(key, parts, signal);
    },
    nodes: (name, signal) => tendNode(name, { ...stores, writer }, signal),
  });

  function onForeignAnnotation(
    { metadata }: { readonly metadata: { readonly name: string } },
    annotations: readonly string[],
  ): void {
    log.warn('Leaving annotations that somebody else has set', { key: metadata.name, annotations });
  }

  /** Without it no address can be told to be ours: nothing begins before it is known. */
  async function clusterUid(signal: AbortSignal): Promise<string> {
    for (;;) {
      try {
        return await readNamespaceUid(kube, 'kube-system', signal);
      } catch (err) {
        signal.throwIfAborted();
        log.warn('Cannot read the uid of the namespace kube-system', { err });
        await clock.sleep(RETRY_MS, signal);
      }
    }
  }

  async function start(synced: () => void, signal: AbortSignal): Promise<void> {
    cluster.uid = await clusterUid(signal);
    await Promise.all([eips.whenSynced(signal), pods.whenSynced(signal), nodes.whenSynced(signal)]);
    for (const { metadata } of eips.store.list()) {
      if (metadata.finalizers.includes(FINALIZER.eip)) inherited.add(metadata.uid);
    }
    subscribeToChanges({
      eips,
      pods,
      nodes,
      references,
      queues: tenders.queues,
      onChange: (keys) => keys.forEach((key) => onChange(`${EIP_SOURCE}/${key}`)),
      onGone: (key) => source.forget(`${EIP_SOURCE}/${key}`),
    });
    synced();
  }

  return {
    name: EIP_SOURCE,
    resource: EIPS,
    source,
    problem:
      options.clusterName === undefined ? 'the Eip flow needs --cluster-name (environment CLUSTER_NAME)' : undefined,
    install: options.installCrds ? (signal) => installEipCrd(kube, signal) : undefined,
    async watch(synced, signal) {
      const started = start(synced, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      await Promise.all([eips.run(signal), pods.run(signal), nodes.run(signal), tenders.run(signal), started]);
    },
  };
}

type Tend = (key: string, signal: AbortSignal) => Promise<void>;
type Tended = 'pods' | 'nodes';

interface Tenders {
  readonly queues: Readonly<Record<Tended, WorkQueue<string>>>;
  run(signal: AbortSignal): Promise<void>;
}

function createTenders(
  { clock, random, logger, tracer }: ControllerDeps,
  tend: Readonly<Record<Tended, Tend>>,
): Tenders {
  const log = logger.child({ controller: EIP_SOURCE });
  const newQueue = (): WorkQueue<string> =>
    createWorkQueue<string>({ clock, random, backoff: { baseMs: 1_000, maxMs: 60_000 } });
  const queues = { pods: newQueue(), nodes: newQueue() };
  const runOne = (name: Tended, signal: AbortSignal): Promise<void> =>
    runController(
      {
        name,
        queue: queues[name],
        workers: TENDERS,
        clock,
        reconcile: async (key, context) => {
          await tend[name](key, context.signal);
          return settled;
        },
        hooks: {
          around: traceRuns(tracer),
          onOutcome: ({ outcome, key }) => {
            if (outcome.kind === 'error') log.warn('Tending failed', { resource: name, key, err: outcome.error });
          },
        },
      },
      signal,
    );
  return {
    queues,
    async run(signal) {
      await Promise.all([runOne('pods', signal), runOne('nodes', signal)]);
    },
  };
}
