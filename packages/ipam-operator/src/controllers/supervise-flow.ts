import type { KubeClient } from '@static-ip/kube';
import type { ControllerDeps } from '../app/compose.ts';
import type { Flow } from './flow.ts';

/**
 * How far a flow has come: its CRD is not installed yet, or not served, it lacks an option, it lists its objects, or it
 * knows them all.
 */
export type FlowState = 'installing' | 'absent' | 'unusable' | 'listing' | 'synced';

type SupervisedFlow = Omit<Flow, 'source'>;

/** What is used of the controllers' dependencies. */
interface SuperviseDeps extends Pick<ControllerDeps, 'clock' | 'logger'> {
  readonly kube: Pick<KubeClient, 'isServed'>;
  readonly options: Pick<ControllerDeps['options'], 'resyncIntervalMs'>;
}

interface Supervision {
  readonly onState: (state: FlowState) => void;
  readonly signal: AbortSignal;
}

/** How often a CRD that is not served yet is looked for, ms, at most. */
const LOOK_EVERY_MS = 60_000;
/** The same for one that was just installed: the server needs a moment. */
const LOOK_SOON_MS = 500;

/** Waits until the flow's CRD is served, then runs the flow until the signal aborts. */
export async function superviseFlow(
  deps: SuperviseDeps,
  flow: SupervisedFlow,
  { onState, signal }: Supervision,
): Promise<void> {
  const lookEveryMs = Math.min(deps.options.resyncIntervalMs, LOOK_EVERY_MS);
  if (flow.install !== undefined) {
    onState('installing');
    if (!(await installed(deps, { flow, install: flow.install, everyMs: lookEveryMs }, signal))) return;
  }
  onState('absent');
  const everyMs = flow.install === undefined ? lookEveryMs : Math.min(lookEveryMs, LOOK_SOON_MS);
  if (!(await untilServed(deps, { flow, everyMs }, signal))) return;
  if (flow.problem !== undefined) {
    deps.logger.error('A source cannot run', { source: flow.name, reason: flow.problem });
    onState('unusable');
    return;
  }
  onState('listing');
  await flow.watch(() => onState('synced'), signal);
}

interface Looking {
  readonly flow: SupervisedFlow;
  readonly everyMs: number;
}

interface Installing extends Looking {
  readonly install: NonNullable<Flow['install']>;
}

function installed(deps: SuperviseDeps, { flow, install, everyMs }: Installing, signal: AbortSignal): Promise<boolean> {
  const source = flow.name;
  const attempt = async (): Promise<boolean> => {
    await install(signal);
    deps.logger.info('Installed the definition of a source', { source });
    return true;
  };
  const onError = (err: unknown): void =>
    deps.logger.error('Cannot install the definition of a source, trying again', { source, err });
  return repeat({ attempt, onError, everyMs, clock: deps.clock }, signal);
}

function untilServed(
  { kube, clock, logger }: SuperviseDeps,
  { flow, everyMs }: Looking,
  signal: AbortSignal,
): Promise<boolean> {
  const source = flow.name;
  const attempt = async (): Promise<boolean> => {
    const isServed = await kube.isServed(flow.resource, signal);
    if (!isServed) logger.debug('A source is not served', { source });
    return isServed;
  };
  const onError = (err: unknown): void => logger.warn('Cannot look whether a source is served', { source, err });
  return repeat({ attempt, onError, everyMs, clock }, signal);
}

interface Repetition {
  readonly attempt: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  readonly everyMs: number;
  readonly clock: ControllerDeps['clock'];
}

/** Resolves to true when an attempt did, to false when the signal aborted before. */
async function repeat({ attempt, onError, everyMs, clock }: Repetition, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      if (await attempt()) return true;
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    // An abort ends the loop; the sleep has no other way to fail.
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
  return false;
}
