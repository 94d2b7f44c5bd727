import { createWorkQueue, runController, settled } from '@static-ip/kube';
import type { EventRecorder, Informer, WorkQueue } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { FINALIZER } from '../../api/names.ts';
import { readNamespaceUid } from '../../api/namespace.ts';
import type { Node } from '../../api/node.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import { informerOf } from '../flow.ts';
import type { Flow, SharedInformer } from '../flow.ts';
import { EIP_SOURCE } from './eip-claim.ts';
import { createEipSource } from './eip-source.ts';
import { createEipWriter } from './eip-writer.ts';
import { createHolders } from './holders.ts';
import { installEipCrd } from './install-eip-crd.ts';
import { createReferences } from './references.ts';
import { tendPod } from './tend-pod.ts';

export interface EipFlowOptions {
  readonly nodes: SharedInformer<Node>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** The claim of this key is not what it was. */
  readonly onChange: (key: string) => void;
}

/** How many pods are tended at once: each needs a write or two at most. */
const TENDERS = 8;

/** The Eip flow: three informers, the claim source, and the small controller that tends pods. */
export function createEipFlow(deps: ControllerDeps, { nodes, events, onChange }: EipFlowOptions): Flow {
  const { kube, clock, random, options, metrics, logger } = deps;
  const eips = informerOf(deps, EIPS);
  const pods = informerOf(deps, PODS);
  const stores = { eips: eips.store, pods: pods.store, nodes: nodes.store };
  const writer = createEipWriter(kube);
  const log = logger.child({ controller: EIP_SOURCE });
  const holders = createHolders({
    stores,
    writer,
    onForeignAnnotation: ({ metadata }, annotations) =>
      log.warn('Leaving annotations that somebody else has set', { key: metadata.name, annotations }),
  });
  const cluster = { uid: '', name: options.clusterName ?? '', defaultTags: options.defaultTags };
  const inherited = new Set<string>();
  const source = createEipSource({
    stores,
    writer,
    holders,
    events,
    clock,
    cluster: () => cluster,
    unreadyGraceMs: options.unreadyGraceMs,
    inherited,
    onAssigned: (afterMs) => metrics.assigned(EIP_SOURCE, afterMs),
  });
  const queue = createWorkQueue<string>({ clock, random, backoff: { baseMs: 1_000, maxMs: 60_000 } });
  const tell = createChanges({ eips, pods, nodes, queue, onChange });

  return {
    name: EIP_SOURCE,
    resource: EIPS,
    source,
    problem:
      options.clusterName === undefined ? 'the Eip flow needs --cluster-name (environment CLUSTER_NAME)' : undefined,
    install: options.installCrds ? (signal) => installEipCrd(kube, signal) : undefined,
    async watch(synced, signal) {
      const started = (async () => {
        cluster.uid = await readNamespaceUid(kube, 'kube-system', signal);
        await Promise.all([eips.whenSynced(signal), pods.whenSynced(signal), nodes.whenSynced(signal)]);
        for (const { metadata } of eips.store.list()) {
          if (metadata.finalizers.includes(FINALIZER.eip)) inherited.add(metadata.uid);
        }
        tell.subscribe();
        synced();
      })();
      const tending = runController(
        {
          name: 'pods',
          queue,
          workers: TENDERS,
          clock,
          reconcile: async (key, context) => {
            await tendPod(key, { pods: pods.store, eips: eips.store, client: kube, writer }, context.signal);
            return settled;
          },
          hooks: {
            onOutcome: ({ outcome, key }) => {
              if (outcome.kind === 'error') log.warn('Tending a pod failed', { key, err: outcome.error });
            },
          },
        },
        signal,
      );
      const watching = [eips.run(signal), pods.run(signal), nodes.run(signal), tending];
      await Promise.all([...watching, started.catch((error: unknown) => rethrowUnless(signal, error))]);
    },
  };
}

function rethrowUnless(signal: AbortSignal, error: unknown): void {
  if (!signal.aborted) throw error;
}

interface ChangeParts {
  readonly eips: Informer<Eip>;
  readonly pods: Informer<Pod>;
  readonly nodes: SharedInformer<Node>;
  readonly queue: WorkQueue<string>;
  readonly onChange: (key: string) => void;
}

/** Maps every change to the claims and the pods that it may concern. */
function createChanges({ eips, pods, nodes, queue, onChange }: ChangeParts): { subscribe(): void } {
  const references = createReferences();
  const touchAll = (keys: Iterable<string>): void => {
    for (const key of keys) onChange(`${EIP_SOURCE}/${key}`);
  };
  return {
    subscribe() {
      nodes.subscribe(() => touchAll(references.toNodes()));
      pods.subscribe((key, _previous, current) => {
        queue.add(key);
        touchAll(references.toPod(key));
        if (current !== undefined) touchAll(references.byLabels(current.metadata.namespace ?? ''));
      });
      eips.subscribe((key, previous, current) => {
        references.put(key, current);
        touchAll([key]);
        const isNodeEip = (current ?? previous)?.selector.kind === 'node';
        // A node has room for one: where one Eip goes matters to the others.
        if (isNodeEip && previous?.status.resourceId !== current?.status.resourceId) touchAll(references.toNodes());
        for (const pod of podsOf(key, previous, current)) queue.add(pod);
      });
    },
  };
}

function podsOf(key: string, previous: Eip | undefined, current: Eip | undefined): readonly string[] {
  const namespace = (current ?? previous)?.metadata.namespace ?? '';
  const names = [previous, current].flatMap((eip) =>
    eip?.selector.kind === 'node' ? [] : (eip?.status.resourceId ?? []),
  );
  return [key, ...names.map((name) => `${namespace}/${name}`)];
}
