import type { CiliumNodePatch, DirectoryResult, Finding, Tags } from '@static-ip/cni-config';
import { again, createWorkQueue, runController } from '@static-ip/kube';
import type { Clock, Random } from '@static-ip/kube';
import type { CiliumNode } from '../api/cilium-node.ts';
import type { CiliumConfig } from './cilium-publishes.ts';
import { afterWrite } from './history.ts';
import type { History } from './history.ts';
import { planPublish } from './plan-publish.ts';
import type { PublishInput, PublishMode, PublishPlan } from './plan-publish.ts';
import { fileTagsOf } from './read-file-tags.ts';
import { createSettledFindings } from './settled-findings.ts';
import type { TagInputs } from './wanted-tags.ts';

/** Our own CiliumNode, kept up to date by somebody. */
export interface CiliumNodeSource {
  /** Undefined: there is none, as far as is known. */
  readonly get: () => CiliumNode | undefined;
  /** Calls back on every change; returns how to stop that. */
  readonly subscribe: (onChange: () => void) => () => void;
}

/** Told as things happen; for logs, Events and metrics. */
export interface PublishHooks {
  /** The state is another than before (or the first one). */
  readonly onState?: (
    plan: PublishPlan,
    info: { readonly node: CiliumNode | undefined; readonly isWritten: boolean },
  ) => void;
  /** The server took a write, whatever it made of it. */
  readonly onWrite?: () => void;
  /** The findings about the CNI configuration are other ones than before. */
  readonly onFindings?: (findings: readonly Finding[]) => void;
  readonly onError?: (error: unknown, info: { readonly nextInMs: number | undefined }) => void;
}

export interface PublishDeps {
  readonly mode: PublishMode;
  readonly graceMs: number;
  readonly flag: Tags | undefined;
  /** The directory is read at least so often. */
  readonly rereadMs: number;
  readonly readDirectory: (signal: AbortSignal) => Promise<DirectoryResult>;
  /** Calls back when the directory may have changed, until the signal aborts. */
  readonly watchDirectory: (onChange: () => void, signal: AbortSignal) => Promise<void>;
  readonly node: CiliumNodeSource;
  readonly patchNode: (patch: CiliumNodePatch, signal: AbortSignal) => Promise<CiliumNode>;
  /** Asked before the first write only. */
  readonly readCiliumConfig: (signal: AbortSignal) => Promise<CiliumConfig>;
  readonly clock: Clock;
  readonly random: Random;
  readonly hooks?: PublishHooks | undefined;
}

const NODE = 'node';

/** Changes of files come in bursts: one pass for all of a burst. */
const GATHER_MS = 200;

/**
 * Keeps the tags of our own CiliumNode as the CNI configuration says, until the signal aborts. Leaves them in place. Never
 * rejects for an outside failure.
 */
export async function runPublish(deps: PublishDeps, signal: AbortSignal): Promise<void> {
  const { clock, random, rereadMs, hooks = {} } = deps;
  const queue = createWorkQueue<typeof NODE>({ clock, random, backoff: { baseMs: 500, maxMs: 30_000 } });
  const pass = createPass(deps);
  const unsubscribe = deps.node.subscribe(() => queue.add(NODE));
  queue.add(NODE);
  await Promise.all([
    deps.watchDirectory(() => queue.addAfter(NODE, GATHER_MS), signal),
    runController(
      {
        name: 'publish',
        queue,
        reconcile: async (_key, context) => again(Math.min(rereadMs, await pass(context.signal))),
        workers: 1,
        clock,
        hooks: {
          onOutcome: ({ outcome, nextInMs }) => {
            if (outcome.kind === 'error') hooks.onError?.(outcome.error, { nextInMs });
          },
        },
      },
      signal,
    ),
  ]);
  unsubscribe();
}

/** Makes the pass: gathers, plans, applies. It resolves to the milliseconds after which it wants to run again, at most. */
function createPass(deps: PublishDeps): (signal: AbortSignal) => Promise<number> {
  const { clock, mode, graceMs, flag, hooks = {} } = deps;
  const findings = createSettledFindings((found) => hooks.onFindings?.(found));
  let lastCertain: TagInputs['lastCertain'];
  let history: History | undefined;
  let written: CiliumNode | undefined;
  let told = '';

  const plan = async (read: DirectoryResult, signal: AbortSignal): Promise<PublishPlan> => {
    const file = fileTagsOf(read);
    if (file.kind === 'certain') lastCertain = { tags: file.tags };
    const node = latest(deps.node.get(), written);
    const input: PublishInput = {
      mode,
      graceMs,
      flag,
      file,
      lastCertain,
      node,
      history,
      nowMs: clock.monotonic(),
      ciliumConfig: {},
    };
    const first = planPublish(input);
    if (first.step.kind !== 'write') return first;
    return planPublish({ ...input, ciliumConfig: await deps.readCiliumConfig(signal) });
  };

  return async (signal) => {
    const read = await deps.readDirectory(signal);
    const next = await plan(read, signal);
    history = next.history;
    if (next.step.kind === 'write' && history !== undefined) {
      written = await deps.patchNode(next.step.patch, signal);
      history = afterWrite(history, { tags: next.step.tags, written, nowMs: clock.monotonic() });
      hooks.onWrite?.();
      // The server has no place for tags: the next pass says so.
      if (history.droppedUntilMs !== undefined) return 0;
    }
    const state = `${next.reason} ${next.note}`;
    const info = { node: latest(deps.node.get(), written), isWritten: next.step.kind === 'write' };
    if (state !== told) hooks.onState?.(next, info);
    told = state;
    const lookAgainMs = findings.take(read.findings, clock.monotonic()) ?? Infinity;
    return Math.min(lookAgainMs, next.step.kind === 'again' ? next.step.inMs : Infinity);
  };
}

/** The watch is behind our own write for a moment: the later state of the same object counts. */
function latest(seen: CiliumNode | undefined, written: CiliumNode | undefined): CiliumNode | undefined {
  if (seen === undefined || written?.metadata.uid !== seen.metadata.uid) return seen;
  return (written.metadata.generation ?? 0) > (seen.metadata.generation ?? 0) ? written : seen;
}
