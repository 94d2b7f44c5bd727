import type { ControllerDeps } from '../app/compose.ts';
import type { Flow } from './flow.ts';

/** How far a flow has come: its CRD is not served, it lacks an option, it lists its objects, or it knows them all. */
export type FlowState = 'absent' | 'unusable' | 'listing' | 'synced';

interface Supervision {
  readonly onState: (state: FlowState) => void;
  readonly signal: AbortSignal;
}

/** How often a CRD that is not served yet is looked for, ms, at most. */
const LOOK_EVERY_MS = 60_000;

/** Waits until the flow's CRD is served, then runs the flow until the signal aborts. */
export async function superviseFlow(deps: ControllerDeps, flow: Flow, { onState, signal }: Supervision): Promise<void> {
  onState('absent');
  if (!(await untilServed(deps, flow, signal))) return;
  if (flow.problem !== undefined) {
    deps.logger.error('A source cannot run', { source: flow.name, reason: flow.problem });
    onState('unusable');
    return;
  }
  onState('listing');
  await flow.watch(() => onState('synced'), signal);
}

async function untilServed(
  { kube, clock, logger, options }: ControllerDeps,
  flow: Flow,
  signal: AbortSignal,
): Promise<boolean> {
  const pauseMs = Math.min(options.resyncIntervalMs, LOOK_EVERY_MS);
  const source = flow.name;
  while (!signal.aborted) {
    const isServed = await kube.isServed(flow.resource, signal).catch((err: unknown) => {
      if (!signal.aborted) logger.warn('Cannot look whether a source is served', { source, err });
      return false;
    });
    if (isServed) return true;
    logger.debug('A source is not served', { source });
    // An abort ends the loop; the sleep has no other way to fail.
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
  return false;
}
