import { createEventRecorder } from '@static-ip/kube';
import type { CheckResult } from '@static-ip/shell';
import type { ControllerDeps } from '../app/compose.ts';
import { createCiliumNodeFlow } from './cilium-node/cilium-node-flow.ts';
import type { CiliumNodeFlow } from './cilium-node/cilium-node-flow.ts';
import { createClaimEngine } from './claims/claim-engine.ts';
import type { ClaimEngine } from './claims/claim-engine.ts';
import { createClaimTelemetry } from './claims/claim-telemetry.ts';
import { watchAccess } from './claims/watch-access.ts';

/** How often a CRD that is not served yet is looked for, ms, at most. */
const LOOK_EVERY_MS = 60_000;

/** Runs the claim engine and the flows that feed it, until the signal aborts. */
export async function runControllers(deps: ControllerDeps, signal: AbortSignal): Promise<void> {
  const { kube, clock, random, options, identity, logger, metrics, health } = deps;
  const events = createEventRecorder({
    client: kube,
    component: 'static-ip/ipam-operator',
    reportingInstance: identity,
    clock,
    hooks: { onError: (err) => logger.warn('Cannot write an Event', { err }) },
  });
  const access = watchAccess(deps.provider);
  const flow = createCiliumNodeFlow(deps, { events, onChange: (key) => engine.touch(key) });
  const engine: ClaimEngine = createClaimEngine({
    provider: access.provider,
    sources: [flow.source],
    clock,
    random,
    hooks: createClaimTelemetry(logger, metrics),
    resyncIntervalMs: options.resyncIntervalMs,
    visibilityWindowMs: options.visibilityWindowMs,
    workers: options.workers,
  });
  metrics.watchQueue('claims', engine.depth);
  const progress = { isSynced: false };
  const removals = [
    health.addReady('cloud', access.check),
    health.addReady('sources', () => sourcesCheck(flow, options.sources === 'auto', progress)),
  ];
  await Promise.all([events.run(signal), runFlow(deps, { flow, engine, progress }, signal)]);
  for (const remove of removals) remove();
}

interface FlowParts {
  readonly flow: CiliumNodeFlow;
  readonly engine: ClaimEngine;
  readonly progress: { isSynced: boolean };
}

/** Waits until the CRD is served, then until all objects are known: only then can claims be told apart. */
async function runFlow(
  deps: ControllerDeps,
  { flow, engine, progress }: FlowParts,
  signal: AbortSignal,
): Promise<void> {
  if (!(await untilServed(deps, flow, signal))) return;
  let started: Promise<void> = Promise.resolve();
  const watching = flow.watch(() => {
    progress.isSynced = true;
    started = engine.run(signal);
  }, signal);
  await watching;
  await started;
}

async function untilServed(
  { clock, logger, options }: ControllerDeps,
  flow: CiliumNodeFlow,
  signal: AbortSignal,
): Promise<boolean> {
  const pauseMs = Math.min(options.resyncIntervalMs, LOOK_EVERY_MS);
  while (!signal.aborted) {
    const isServed = await flow.look(signal).catch((err: unknown) => {
      if (!signal.aborted) logger.warn('Cannot look for the CiliumNode CRD', { err });
      return false;
    });
    if (isServed) return true;
    logger.debug('The CiliumNode CRD is not served', {});
    // An abort ends the loop; the sleep has no other way to fail.
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
  return false;
}

function sourcesCheck(flow: CiliumNodeFlow, isAuto: boolean, { isSynced }: FlowParts['progress']): CheckResult {
  if (!flow.isServed()) {
    const named = isAuto ? 'no source has anything to watch' : 'a source named in --sources is absent';
    return { ok: false, reason: `${named}: the cluster does not serve ciliumnodes.cilium.io` };
  }
  return isSynced
    ? { ok: true, detail: 'cilium-node' }
    : { ok: false, reason: 'the CiliumNodes have not been listed yet' };
}
