import { createLimiter, isKubeError } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { createEipWriter } from '../eip/eip-writer.ts';
import { readDrainWorld, stripTasks } from './strip-tasks.ts';
import type { StripTask } from './strip-tasks.ts';

/** Pause before the next round, and before one that follows a failure, ms. */
const ROUND_MS = 200;
const RETRY_MS = 1_000;
/** Objects at once: twice what the client writes at a time, so that it never waits for the next. */
export const AT_ONCE = 16;

export interface StripDeps extends Pick<ControllerDeps, 'clock'> {
  readonly kube: Pick<ControllerDeps['kube'], 'list' | 'isServed' | 'patch'>;
  readonly logger: Pick<ControllerDeps['logger'], 'info' | 'warn'>;
  readonly options: Pick<ControllerDeps['options'], 'namespace'>;
}

export interface StripRequest {
  /** Names of Eips that must keep what they have. */
  readonly spared: ReadonlySet<string>;
  /** Monotonic ms at which it is over. */
  readonly untilMs: number;
}

/** An object that still has something of ours, and why. */
export interface Unstripped extends Pick<StripTask, 'kind' | 'name'> {
  readonly reason: string;
}

/**
 * Takes all that is ours off the objects, round by round, until a fresh look finds nothing. Returns what is left at the end
 * of the time. @throws KubeError when the objects cannot be read, and waiting will not help.
 */
export async function stripAll(
  { kube, clock, logger, options }: StripDeps,
  request: StripRequest,
  signal: AbortSignal,
): Promise<readonly Unstripped[]> {
  const writer = createEipWriter(kube);
  const limited = createLimiter(AT_ONCE);

  async function strip(task: StripTask): Promise<readonly Unstripped[]> {
    try {
      await task.run(writer, signal);
      return [];
    } catch (error) {
      signal.throwIfAborted();
      const { kind, name } = task;
      return [{ kind, name, reason: error instanceof Error ? error.message : String(error) }];
    }
  }

  let failed: readonly Unstripped[] = [];
  for (;;) {
    const tasks = await attempt(async () => {
      return stripTasks(await readDrainWorld(kube, options.namespace, signal), request.spared);
    });
    if (tasks !== undefined) {
      if (tasks.length === 0) return [];
      if (clock.monotonic() >= request.untilMs) return unstripped(tasks, failed);
      logger.info('Removing finalizers', { objects: tasks.length });
      failed = (await Promise.all(tasks.map((task) => limited(() => strip(task), signal)))).flat();
    }
    await clock.sleep(tasks === undefined || failed.length > 0 ? RETRY_MS : ROUND_MS, signal);
  }

  /** Undefined: it failed, and may not the next time. */
  async function attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (err) {
      signal.throwIfAborted();
      const mayPass = isKubeError(err) && (err.retry === 'backoff' || err.retry === 'now');
      if (!mayPass || clock.monotonic() >= request.untilMs) throw err;
      logger.warn('Cannot read the objects, trying again', { err });
      return undefined;
    }
  }
}

/** What the last look still found, and why: what failed in the round before, where that was the reason. */
function unstripped(tasks: readonly StripTask[], failed: readonly Unstripped[]): readonly Unstripped[] {
  const reasons = new Map(failed.map(({ kind, name, reason }) => [`${kind} ${name}`, reason]));
  const otherwise = 'the time was over, or somebody has put a finalizer back';
  return tasks.map(({ kind, name }) => ({ kind, name, reason: reasons.get(`${kind} ${name}`) ?? otherwise }));
}
