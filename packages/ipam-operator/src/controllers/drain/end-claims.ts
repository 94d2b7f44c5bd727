import type { ReadonlyStore } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { FINALIZER } from '../../api/names.ts';
import { readNamespaceUid } from '../../api/namespace.ts';
import { createClaimEngine } from '../claims/claim-engine.ts';
import { createClaimTelemetry } from '../claims/claim-telemetry.ts';
import { EIP_SOURCE } from '../eip/eip-claim.ts';
import { createEipSource } from '../eip/eip-source.ts';
import { createEipWriter } from '../eip/eip-writer.ts';
import { informerOf } from '../flow.ts';
import { recordSteps } from './recorded-steps.ts';
import type { RecordedSteps } from './recorded-steps.ts';

/** How often it is looked whether all is done, and how often the rest is told, ms. */
const LOOK_EVERY_MS = 200;
const TELL_EVERY_MS = 5_000;

/** What came of the claims, and what was done to addresses, by their ids. */
export interface EndedClaims extends Pick<RecordedSteps, 'takenOff' | 'released'> {
  /** Eips whose claims have not ended, `namespace/name`, with the reason. */
  readonly left: ReadonlyMap<string, string>;
}

export interface EndRequest {
  /** All Eips, as they were read before. */
  readonly eips: ReadonlyStore<Eip>;
  /** Monotonic ms at which it is over. */
  readonly untilMs: number;
}

const NOT_LOOKED_AT = 'the time was over before it was looked at';

/** To end, a claim needs no pod and no node. */
const NOTHING: ReadonlyStore<never> = { get: () => undefined, list: () => [], keys: () => [], size: 0 };

/**
 * Ends the claims of all Eips with the engine that serves them otherwise: each address is taken off, and released where its
 * marks and the Eip's policy allow it. The Eips stay, without status and finalizer. Gives up at `untilMs`.
 * @throws KubeError when the cluster's uid cannot be read.
 */
export async function endClaims(
  deps: ControllerDeps,
  { eips: known, untilMs }: EndRequest,
  signal: AbortSignal,
): Promise<EndedClaims> {
  const { kube, clock, random, options, logger, metrics, tracer } = deps;
  const uid = await readNamespaceUid(kube, 'kube-system', signal);
  const eips = informerOf(deps, EIPS);
  const inherited = new Set<string>();
  const reasons = new Map<string, string>();
  const { provider, takenOff, released } = recordSteps(deps.provider);
  const source = createEipSource({
    stores: { eips: eips.store, pods: NOTHING, nodes: NOTHING },
    writer: createEipWriter(kube),
    events: { record: () => undefined },
    clock,
    cluster: () => ({ uid, name: options.clusterName ?? '', defaultTags: {} }),
    unreadyGraceMs: options.unreadyGraceMs,
    inherited,
    onAssigned: () => undefined,
    isDraining: true,
    wayOut: () => ({ kind: 'unknown' }),
  });
  const telemetry = createClaimTelemetry(logger, metrics, tracer);
  const engine = createClaimEngine({
    provider,
    sources: [source],
    clock,
    random,
    hooks: {
      ...telemetry,
      onVerdict: (claim, verdict) => {
        telemetry.onVerdict(claim, verdict);
        reasons.set(claim.key, `${verdict.reason}: ${verdict.message}`);
      },
    },
    resyncIntervalMs: options.resyncIntervalMs,
    visibilityWindowMs: options.visibilityWindowMs,
    workers: options.workers,
  });
  const left = (): readonly string[] => source.keys().filter((key) => !source.isOver(key));

  async function untilEnded(running: AbortSignal): Promise<void> {
    // Without its end the watch that does not begin would be waited for as long as it likes.
    const late = clock.sleep(Math.max(0, untilMs - clock.monotonic()), running);
    await Promise.race([eips.whenSynced(running), late]);
    if (!eips.isSynced()) return stop.abort();
    for (const { metadata } of eips.store.list()) {
      if (metadata.finalizers.includes(FINALIZER.eip)) inherited.add(metadata.uid);
    }
    eips.subscribe((key) => engine.touch(`${EIP_SOURCE}/${key}`));
    const serving = engine.run(running);
    let tellAt = clock.monotonic();
    while (left().length > 0 && clock.monotonic() < untilMs) {
      if (clock.monotonic() >= tellAt) {
        logger.info('Giving addresses back', { left: left().length });
        tellAt += TELL_EVERY_MS;
      }
      await clock.sleep(LOOK_EVERY_MS, running);
    }
    stop.abort();
    await serving;
  }

  const stop = new AbortController();
  const running = AbortSignal.any([signal, stop.signal]);
  await Promise.all([eips.run(running), untilEnded(running)]);
  const unended = eips.isSynced() ? left().map(nameOf) : known.keys();
  const reasonOf = (name: string): string => reasons.get(`${EIP_SOURCE}/${name}`) ?? NOT_LOOKED_AT;
  return { left: new Map(unended.map((name) => [name, reasonOf(name)])), takenOff, released };
}

function nameOf(key: string): string {
  return key.slice(EIP_SOURCE.length + 1);
}
