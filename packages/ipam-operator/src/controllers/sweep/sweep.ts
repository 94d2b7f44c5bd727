import { again, createWorkQueue, runController } from '@static-ip/kube';
import type { Outcome } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { traceRuns } from '../../telemetry/tracer.ts';
import { planSweep } from '../../core/plan-sweep.ts';
import { gatherSweep } from './gather-sweep.ts';
import type { GatherSweepDeps } from './gather-sweep.ts';
import { releaseLeaked } from './release-leaked.ts';
import { createSweepTelemetry } from './sweep-telemetry.ts';

/** At most so many addresses are released in one run: whatever is wrong, a person has time to see it. */
const MAX_RELEASES = 5;

/** A release rests on what was read in the same run: after so long the run is over, ms. */
const RUN_DEADLINE_MS = 60_000;

export interface SweepDeps
  extends Pick<ControllerDeps, 'clock' | 'random' | 'logger' | 'tracer'>, Pick<GatherSweepDeps, 'kube'> {
  readonly options: Pick<ControllerDeps['options'], 'sweep' | 'clusterName' | 'namespace'>;
  readonly metrics: Pick<ControllerDeps['metrics'], 'watchSweep' | 'reconciled'>;
  readonly provider: Pick<ControllerDeps['provider'], 'listAddresses' | 'release'>;
}

/** The one key of its queue. */
const ALL = 'all';

/**
 * The net under everything else: looks, every interval, for addresses with the marks of this cluster that no claim has,
 * tells them, and with `--sweep=release` gives a few of them back. Runs until the signal aborts.
 *
 * How long an address has been without a claim is counted from this process's first sight of it: a restart lengthens
 * it, never shortens it. A run that fails proves nothing and changes nothing.
 */
export async function runSweep(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { kube, provider, clock, random, options, metrics, tracer } = deps;
  const log = deps.logger.child({ controller: 'sweep' });
  const { mode, intervalMs, minAgeMs, peerTags } = options.sweep;
  const scope = { clusterName: options.clusterName ?? '', peerTags, namespace: options.namespace };
  const telemetry = createSweepTelemetry(log, metrics);
  let suspectedSince: ReadonlyMap<string, number> = new Map();

  async function sweep(runSignal: AbortSignal): Promise<void> {
    const gathered = await gatherSweep({ kube, provider, scope }, runSignal);
    const plan = planSweep({ ...gathered, suspectedSince, now: clock.monotonic(), minAgeMs });
    telemetry.onPlan(plan);
    const permitted = mode === 'release' ? plan.leaked.slice(0, MAX_RELEASES) : [];
    // What is tried now starts anew: one that cannot be released makes room for the others.
    const tried = new Set(permitted.map(({ id }) => id));
    suspectedSince = new Map([...plan.suspectedSince].filter(([id]) => !tried.has(id)));
    await releaseLeaked(permitted, { provider, ...telemetry }, runSignal);
  }

  const pauseMs = (): number => intervalMs * (0.75 + random() / 2);
  const queue = createWorkQueue({ clock, random, backoff: { baseMs: intervalMs, maxMs: intervalMs } });
  queue.addAfter(ALL, pauseMs());
  await runController(
    {
      name: 'sweep',
      queue,
      workers: 1,
      clock,
      runDeadlineMs: RUN_DEADLINE_MS,
      reconcile: async (_key, { signal: runSignal }): Promise<Outcome> => {
        await sweep(runSignal);
        return again(pauseMs());
      },
      hooks: {
        around: traceRuns(tracer),
        onOutcome: ({ controller, outcome, code, durationMs }) => {
          metrics.reconciled({ controller, outcome: code ?? outcome.kind, durationMs });
          if (outcome.kind === 'error')
            log.warn('The sweep could not look, and leaves everything', { err: outcome.error });
        },
      },
    },
    signal,
  );
}
