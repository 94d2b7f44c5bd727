import { createEventRecorder } from '@static-ip/kube';
import type { CheckResult } from '@static-ip/shell';
import type { ControllerDeps } from '../app/compose.ts';
import { NODES } from '../api/node.ts';
import { createCiliumNodeFlow } from './cilium-node/cilium-node-flow.ts';
import { createClaimEngine } from './claims/claim-engine.ts';
import type { ClaimEngine } from './claims/claim-engine.ts';
import { createClaimTelemetry } from './claims/claim-telemetry.ts';
import { watchAccess } from './claims/watch-access.ts';
import { EIP_SOURCE } from './eip/eip-claim.ts';
import { createEipFlow } from './eip/eip-flow.ts';
import { sharedInformerOf } from './flow.ts';
import type { Flow } from './flow.ts';
import { nameQuota } from './quota/name-quota.ts';
import { createQuotaWatch } from './quota/watch-quota.ts';
import type { QuotaWatch } from './quota/watch-quota.ts';
import { createStartupTaint } from './startup-taint/startup-taint.ts';
import type { StartupTaint, StartupTaintDeps } from './startup-taint/startup-taint.ts';
import { superviseFlow } from './supervise-flow.ts';
import type { FlowState } from './supervise-flow.ts';
import { watchRoutes } from './routes/watch-routes.ts';
import { runSweep } from './sweep/sweep.ts';

/** Runs the claim engine and the flows that feed it, until the signal aborts. */
export async function runControllers(deps: ControllerDeps, signal: AbortSignal): Promise<void> {
  const { kube, clock, random, options, identity, logger, metrics, tracer, health } = deps;
  const events = createEventRecorder({
    client: kube,
    component: 'static-ip/ipam-operator',
    reportingInstance: identity,
    clock,
    hooks: { onError: (err) => logger.warn('Cannot write an Event', { err }) },
  });
  const quota = createQuotaWatch(deps);
  const access = watchAccess(nameQuota(deps.provider, quota.last));
  const routes = watchRoutes({
    provider: access.provider,
    routes: deps.provider,
    clock,
    logger: logger.child({ controller: 'routes' }),
    intervalMs: options.resyncIntervalMs,
  });
  const nodes = sharedInformerOf(deps, NODES);
  const common = { events, nodes, onChange: (key: string) => engine.touch(key), wayOut: routes.of };
  const all = [createCiliumNodeFlow(deps, common), createEipFlow(deps, common)];
  const flows = all.filter(({ name }) => options.sources === 'auto' || options.sources.includes(name));
  const startupTaint = startupTaintOf(deps, { nodes, events });
  const telemetry = createClaimTelemetry(logger, metrics, tracer);
  const engine: ClaimEngine = createClaimEngine({
    provider: routes.provider,
    sources: flows.map(({ source }) => startupTaint?.listenTo(source) ?? source),
    clock,
    random,
    hooks: {
      ...telemetry,
      onGone: (key) => {
        telemetry.onGone(key);
        startupTaint?.claimGone(key);
      },
    },
    resyncIntervalMs: options.resyncIntervalMs,
    visibilityWindowMs: options.visibilityWindowMs,
    workers: options.workers,
  });
  metrics.watchQueue('claims', engine.depth);
  const states = new Map<Flow, FlowState>();
  const removals = [
    health.addReady('cloud', access.check),
    health.addReady('sources', () => sourcesCheck(flows, states, options.sources === 'auto')),
  ];
  const served = runFlows(deps, { flows, states, engine, quota }, signal);
  const looking = deps.provider.capabilities.routes ? routes.run(signal) : undefined;
  await Promise.all([events.run(signal), served, looking, startupTaint?.run(signal)]);
  for (const remove of removals) remove();
}

/** Undefined unless the options ask for it: then it needs a right that nothing else does. */
function startupTaintOf(
  deps: ControllerDeps,
  parts: Pick<StartupTaintDeps, 'nodes' | 'events'>,
): StartupTaint | undefined {
  const { mode, giveUpMs } = deps.options.startupTaint;
  return mode === 'off' ? undefined : createStartupTaint({ ...deps, ...parts, rules: { mode, giveUpMs } });
}

interface FlowParts {
  readonly flows: readonly Flow[];
  readonly states: Map<Flow, FlowState>;
  readonly engine: ClaimEngine;
  readonly quota: QuotaWatch;
}

/**
 * The engine starts when the first flow knows all its objects: before, claims could not be told apart. The sweep and the
 * watch of the quota start with the flow that allocates.
 */
async function runFlows(
  deps: ControllerDeps,
  { flows, states, engine, quota }: FlowParts,
  signal: AbortSignal,
): Promise<void> {
  const { capabilities } = deps.provider;
  const isSwept = deps.options.sweep.mode !== 'off' && capabilities.allocation;
  const isCounted = deps.options.quotaIntervalMs > 0 && capabilities.quota;
  let serving: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  let counting: Promise<void> | undefined;
  const supervised = flows.map((flow) =>
    superviseFlow(deps, flow, {
      signal,
      onState: (state) => {
        states.set(flow, state);
        if (state !== 'synced') return;
        serving ??= engine.run(signal);
        if (flow.name === EIP_SOURCE && isSwept) sweeping ??= runSweep(deps, signal);
        if (flow.name === EIP_SOURCE && isCounted) counting ??= quota.run(signal);
      },
    }),
  );
  await Promise.all(supervised);
  await Promise.all([serving, sweeping, counting]);
}

function sourcesCheck(flows: readonly Flow[], states: ReadonlyMap<Flow, FlowState>, isAuto: boolean): CheckResult {
  const troubles = flows.flatMap((flow) => troubleOf(flow, states.get(flow), isAuto));
  const synced = flows.filter((flow) => states.get(flow) === 'synced').map(({ name }) => name);
  // What nobody asked for by name, and may lack the rights for, does not take the others out of service.
  const isServing = synced.length > 0 && (isAuto || troubles.length === 0);
  if (isServing) return { ok: true, detail: [synced.join(', '), ...troubles].join('; ') };
  const [first] = troubles;
  if (first !== undefined) return { ok: false, reason: first };
  const reasons = flows.map((flow) => whyNothing(flow, states.get(flow)));
  return { ok: false, reason: `no source has anything to watch: ${reasons.join('; ')}` };
}

function whyNothing({ resource, problem }: Flow, state: FlowState | undefined): string {
  const isUnusable = state === 'unusable' && problem !== undefined;
  return isUnusable ? problem : `the cluster does not serve ${resource.plural}.${resource.group}`;
}

/** A flow that was named must work; with `auto`, one whose CRD is absent or that lacks an option is no trouble. */
function troubleOf(flow: Flow, state: FlowState | undefined, isAuto: boolean): readonly string[] {
  const { name, resource, problem } = flow;
  switch (state) {
    case 'synced':
      return [];
    case 'unusable':
      return isAuto ? [] : [problem ?? `${name} cannot run`];
    case 'installing':
      return [`the definition of ${resource.plural} could not be installed yet (--install-crds)`];
    case 'listing':
      return [`the ${resource.plural} have not been listed yet`];
    case 'absent':
    case undefined:
      return isAuto
        ? []
        : [`${name} is named in --sources, but the cluster does not serve ${resource.plural}.${resource.group}`];
  }
}
