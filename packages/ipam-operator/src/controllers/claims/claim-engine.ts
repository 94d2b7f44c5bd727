import { again, createWorkQueue, runController, settled } from '@static-ip/kube';
import type { Clock, Outcome, Random, ReconcileReport } from '@static-ip/kube';
import { coalesced, selectCandidates, targetRefKey } from '@static-ip/provider';
import type { Listing, Selection, StaticIpProvider, TargetRef } from '@static-ip/provider';
import { selectionKey } from '../../core/claim.ts';
import type { Verdict } from '../../core/plan.ts';
import { createBackoffs } from './backoffs.ts';
import type { ClaimHooks } from './claim-hooks.ts';
import { createClaimRegistry } from './claim-registry.ts';
import type { ClaimSource } from './claim-source.ts';
import { createCloudReads } from './cloud-reads.ts';
import { createHolds } from './holds.ts';
import { reconcileClaim } from './reconcile-claim.ts';

/** Among the claims that come next, so many are looked through for targets to read ahead. */
const LOOK_AHEAD = 400;

/** Answers of the cloud that are older than so many resyncs are forgotten. */
const KEEP_RESYNCS = 3;

/**
 * Pauses between the starts of reads while work is in flight, ms. Reads of targets confirm: they begin at once and slow
 * down to one in two seconds for everybody together.
 */
const SPACING = {
  listMs: [0, 250, 500, 1_000, 2_000],
  resolveMs: [0, 50, 100, 200, 400, 800, 1_600, 2_000],
};

export interface ClaimEngineOptions {
  readonly provider: StaticIpProvider;
  readonly sources: readonly ClaimSource[];
  readonly clock: Clock;
  readonly random: Random;
  readonly hooks: ClaimHooks & { readonly onOutcome: (report: ReconcileReport<string>) => void };
  readonly resyncIntervalMs: number;
  readonly visibilityWindowMs: number;
  readonly workers: number;
}

/** The one loop that serves all claims, whatever they come from. */
export interface ClaimEngine {
  /** The claim's objects may have changed. Cheap: nothing happens if the claim did not. */
  touch(key: string): void;
  /** Keys that are due and that nobody works on. */
  readonly depth: () => number;
  /** Serves claims until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Makes the engine; nothing happens before `touch` and `run`. */
export function createClaimEngine(options: ClaimEngineOptions): ClaimEngine {
  const { clock, random, hooks, sources } = options;
  const provider = coalesced(options.provider, { clock, spacing: SPACING });
  const registry = createClaimRegistry();
  const holds = createHolds();
  const backoffs = createBackoffs(random);
  const rules = { atomicSwap: provider.capabilities.atomicSwap, visibilityWindowMs: options.visibilityWindowMs };
  let epoch = -Infinity;

  const queue = createWorkQueue<string>({
    clock,
    random,
    backoff: { baseMs: 1_000, maxMs: 300_000 },
    priority: (key) => registry.get(key)?.createdAt ?? 0,
  });
  const reads = createCloudReads({ provider, clock, upcoming, onListing });

  function upcoming(isStale: (ref: TargetRef) => boolean): readonly TargetRef[] {
    return queue.peek(LOOK_AHEAD).flatMap((key) => {
      const claim = registry.get(key);
      return claim?.target !== undefined && claim.wanted.kind === 'select' && isStale(claim.target)
        ? [claim.target]
        : [];
    });
  }

  /** Free addresses wake as many of those who wait for them, oldest first. */
  function onListing(selection: Selection, listing: Listing): void {
    hooks.onListing(selection, listing, registry.all());
    const { candidates } = selectCandidates(listing, { taken: holds.takenFor('', clock.monotonic()) });
    if (candidates.length > 0) wake((name) => name.startsWith(`${selectionKey(selection)}@`));
  }

  function wake(matches: (queueName: string) => boolean): void {
    for (const claim of registry.waiting(matches)) queue.add(claim.key);
  }

  /** What was read before may hide a free address. */
  function onFreed(): void {
    epoch = clock.monotonic();
    wake(() => true);
  }

  const sourceOf = (key: string): ClaimSource | undefined => sources.find(({ name }) => key.startsWith(`${name}/`));

  function touch(key: string): void {
    const claim = sourceOf(key)?.claimOf(key);
    if (claim === undefined) return drop(key);
    const before = registry.get(key)?.target;
    if (!registry.put(claim, clock.monotonic())) return;
    // The object was made anew for another instance: of the one before nobody asks any more.
    if (before !== undefined && !isSameTarget(before, claim.target)) reads.forget(before);
    backoffs.reset(key);
    queue.add(key);
  }

  function drop(key: string): void {
    const claim = registry.get(key);
    if (claim === undefined) return;
    registry.remove(key);
    holds.release(key);
    backoffs.reset(key);
    if (claim.target !== undefined) reads.forget(claim.target);
    hooks.onGone(key);
    onFreed();
  }

  async function reconcile(key: string, { signal }: { readonly signal: AbortSignal }): Promise<Outcome> {
    const waitMs = backoffs.remainingMs(key, clock.monotonic());
    if (waitMs > 0) return again(waitMs);
    const deps = { provider, registry, reads, holds, rules, clock, hooks, epoch: () => epoch, onFreed };
    const reconciled = await reconcileClaim(key, deps, signal);
    // The run may have marked what its claim did after the claim was dropped.
    if (registry.get(key) === undefined) holds.release(key);
    // What was found out is about the claim as it was; a change has queued the key again.
    if (reconciled === undefined || registry.get(key) !== reconciled.claim) return settled;
    const { claim, verdict, isProved } = reconciled;
    registry.stand(key, verdict.queue);
    if (isProved) settleHolds(key, verdict);
    hooks.onVerdict(claim, verdict);
    await sourceOf(key)?.report(claim, verdict, signal);
    return outcomeOf(key, verdict);
  }

  /** A claim at rest has reserved what the reads say it holds, and what they may not show yet. */
  function settleHolds(key: string, { status }: Verdict): void {
    if (status.kind === 'set') holds.confirm(key, { ip: status.ip, at: clock.monotonic() });
    else if (!holds.isAwaiting(key, clock.monotonic() - options.visibilityWindowMs)) holds.release(key);
  }

  function outcomeOf(key: string, { recheck }: Verdict): Outcome {
    if (recheck.kind === 'backoff') return again(backoffs.next(key, clock.monotonic()));
    backoffs.reset(key);
    return recheck.kind === 'after' ? again(recheck.ms) : settled;
  }

  /** Every claim is looked at again, from reads that are newer than now. */
  function resync(): void {
    epoch = clock.monotonic();
    const oldest = epoch - KEEP_RESYNCS * options.resyncIntervalMs;
    reads.prune(oldest);
    holds.prune(oldest);
    hooks.onResync(registry.all());
    const keys = new Set([...registry.keys(), ...sources.flatMap((source) => source.keys())]);
    for (const key of keys) {
      touch(key);
      if (registry.get(key) !== undefined && backoffs.remainingMs(key, epoch) === 0) queue.add(key);
    }
  }

  async function resyncLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      resync();
      // An abort ends the loop; the sleep has no other way to fail.
      await clock.sleep(options.resyncIntervalMs, signal).catch(() => undefined);
    }
  }

  return {
    touch,
    depth: () => queue.depth(),
    async run(signal) {
      const controller = runController(
        {
          name: 'claims',
          queue,
          reconcile,
          workers: options.workers,
          clock,
          hooks,
          runDeadlineMs: 60_000,
          drainMs: 5_000,
        },
        signal,
      );
      await Promise.all([controller, resyncLoop(signal)]);
    },
  };
}

function isSameTarget(a: TargetRef, b: TargetRef | undefined): boolean {
  return b !== undefined && targetRefKey(a) === targetRefKey(b);
}
