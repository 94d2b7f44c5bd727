import { again, createWorkQueue, runController } from '@static-ip/kube';
import type { Clock, Random } from '@static-ip/kube';
import { addressHolders } from './agent-pod.ts';
import type { AgentPod } from './agent-pod.ts';
import type { Plan, Surroundings } from './plan.ts';
import { synchronise } from './synchronise.ts';
import type { KernelPort } from './synchronise.ts';

/** The pods of this node, kept up to date by somebody. */
export interface PodSource {
  readonly list: () => readonly AgentPod[];
  /** Resolves when `list` is complete: before, every rule would seem to be a leftover. */
  readonly whenSynced: (signal: AbortSignal) => Promise<void>;
  /** Calls back on every change; returns how to stop that. */
  readonly subscribe: (onChange: () => void) => () => void;
}

/** Told as things happen; for logs, Events and metrics. */
export interface NoMasqueradeHooks {
  /** A pass ended well. */
  readonly onPass?: (plan: Plan, info: { readonly durationMs: number }) => void;
  /** The state is another than before (or the first one): worth telling a person. */
  readonly onState?: (plan: Plan) => void;
  /** A pass failed; it is repeated after `nextInMs`. */
  readonly onError?: (
    error: unknown,
    info: { readonly attempt: number; readonly nextInMs: number | undefined },
  ) => void;
}

export interface NoMasqueradeDeps {
  readonly nodeName: string;
  readonly nodeWide: boolean;
  readonly pods: PodSource;
  readonly kernel: KernelPort;
  /** Calls back when the kernel's state may have changed, until the signal aborts. */
  readonly watchKernel: (onChange: () => void, signal: AbortSignal) => Promise<void>;
  /** Asked in every thorough pass: settings may change. */
  readonly readSurroundings: (signal: AbortSignal) => Promise<Surroundings>;
  readonly clock: Clock;
  readonly random: Random;
  readonly hooks?: NoMasqueradeHooks | undefined;
  /** A thorough pass at least so often. Default 5 min. */
  readonly resyncMs?: number | undefined;
}

const NODE = 'node';
const RESYNC_MS = 5 * 60_000;
/** Others' changes come in bursts: one pass for all of a burst. */
const GATHER_MS = 100;

/**
 * Keeps the kernel's rules as the pods of this node need them until the signal aborts. Leaves them in place: an upgrade is no
 * gap. Never rejects for an outside failure.
 */
export async function runNoMasquerade(deps: NoMasqueradeDeps, signal: AbortSignal): Promise<void> {
  const { clock, random, hooks = {}, resyncMs = RESYNC_MS } = deps;
  const queue = createWorkQueue<typeof NODE>({ clock, random, backoff: { baseMs: 200, maxMs: 30_000 } });
  let surroundings: Surroundings | undefined;
  let thoroughAtMs = -Infinity;
  let told = '';

  const reconcile = async (runSignal: AbortSignal): Promise<void> => {
    const startedMs = clock.monotonic();
    const thorough = surroundings === undefined || startedMs - thoroughAtMs >= resyncMs;
    if (surroundings === undefined || thorough) surroundings = await deps.readSurroundings(runSignal);
    const pods = addressHolders(deps.pods.list(), deps.nodeName);
    const input = { ...surroundings, pods, nodeWide: deps.nodeWide, thorough };
    const plan = await synchronise(deps.kernel, input, runSignal);
    if (thorough) thoroughAtMs = startedMs;
    hooks.onPass?.(plan, { durationMs: clock.monotonic() - startedMs });
    if (plan.state !== told) hooks.onState?.(plan);
    told = plan.state;
  };

  try {
    await deps.pods.whenSynced(signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  const unsubscribe = deps.pods.subscribe(() => queue.add(NODE));
  queue.add(NODE);
  await Promise.all([
    deps.watchKernel(() => queue.addAfter(NODE, GATHER_MS), signal),
    runController(
      {
        name: 'no-masquerade',
        queue,
        reconcile: async (_key, context) => {
          await reconcile(context.signal);
          return again(resyncMs);
        },
        workers: 1,
        clock,
        hooks: {
          onOutcome: ({ outcome, attempt, nextInMs }) => {
            if (outcome.kind === 'error') hooks.onError?.(outcome.error, { attempt, nextInMs });
          },
        },
      },
      signal,
    ),
  ]);
  unsubscribe();
  // Else its timer for the next pass would live on.
  queue.shutdown();
}
