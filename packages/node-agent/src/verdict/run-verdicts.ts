import { createWorkQueue, isKubeError, objectKey, runController, settled } from '@static-ip/kube';
import type { Clock, JsonObject, Random } from '@static-ip/kube';
import type { Plan } from '../no-masquerade/plan.ts';
import { egressVerdict } from './egress-verdict.ts';
import { verdictPatch } from './verdict-pod.ts';
import type { VerdictPod } from './verdict-pod.ts';

export interface VerdictDeps {
  readonly pods: { readonly list: () => readonly VerdictPod[]; readonly get: (key: string) => VerdictPod | undefined };
  /** Patches the status of a pod by a strategic merge. */
  readonly patchStatus: (pod: VerdictPod, body: JsonObject, signal: AbortSignal) => Promise<unknown>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Writes on each pod whether it leaves with its own address. */
export interface Verdicts {
  /** A pass ended, and its steps are done. */
  passed(plan: Pick<Plan, 'state' | 'pods'>): void;
  /** Writes until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Pods of one node that are written at once. */
const WORKERS = 2;

/** Makes the writer; nothing is written before the first pass. */
export function createVerdicts(deps: VerdictDeps): Verdicts {
  const { pods, clock, random } = deps;
  const queue = createWorkQueue<string>({ clock, random, backoff: { baseMs: 1_000, maxMs: 60_000 } });
  let latest: Pick<Plan, 'state' | 'pods'> | undefined;
  const patchFor = (pod: VerdictPod): JsonObject | undefined =>
    latest && verdictPatch(pod, egressVerdict(pod, latest), clock);

  const reconcile = async (key: string, signal: AbortSignal): Promise<void> => {
    const pod = pods.get(key);
    const body = pod && patchFor(pod);
    if (pod === undefined || body === undefined) return;
    await deps.patchStatus(pod, body, signal).catch((error: unknown) => {
      // Gone by now: nobody needs the verdict.
      if (!isKubeError(error, 'notFound')) throw error;
    });
  };

  return {
    passed: (plan) => {
      latest = plan;
      for (const pod of pods.list()) if (patchFor(pod) !== undefined) queue.add(objectKey(pod.metadata));
    },
    run: (signal) =>
      runController(
        {
          name: 'verdicts',
          queue,
          workers: WORKERS,
          clock,
          reconcile: async (key, context) => {
            await reconcile(key, context.signal);
            return settled;
          },
          hooks: {
            onOutcome: ({ outcome }) => {
              if (outcome.kind === 'error') deps.onError?.(outcome.error);
            },
          },
        },
        signal,
      ),
  };
}
