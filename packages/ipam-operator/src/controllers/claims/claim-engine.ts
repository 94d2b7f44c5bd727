import { again, createWorkQueue, runController, settled } from '@static-ip/kube';
import type { Clock, ControllerHooks, Outcome, Random } from '@static-ip/kube';
import { coalesced, selectCandidates, selectionKey, targetRefKey } from '@static-ip/provider';
import type { Listing, Selection, StaticIpProvider, TargetRef } from '@static-ip/provider';
import type { Claim } from '../../core/claim.ts';
import type { Step, Verdict } from '../../core/plan.ts';
import { createBackoffs } from './backoffs.ts';
import type { ClaimHooks } from './claim-hooks.ts';
import { createClaimRegistry } from './claim-registry.ts';
import type { ClaimSource } from './claim-source.ts';
import { createCloudReads } from './cloud-reads.ts';
import { createHolds } from './holds.ts';
import { createLanes } from './lanes.ts';
import { reconcileClaim } from './reconcile-claim.ts';
import type { Reconciled } from './reconcile-claim.ts';

/** Among the claims that come next, so many are looked through for targets to read ahead. */
const LOOK_AHEAD = 400;

/** A lane for each kind of step that comes in numbers: together they leave no worker idle, and none takes them all. */
const LANES_FOR_ALL = 4;

/** Answers of the cloud that are older than so many resyncs are forgotten. */
const KEEP_RESYNCS = 3;

/**
 * Pauses between the starts of reads while work is in flight, ms. Reads of targets confirm: they begin at once and slow
 * down to one in 2.4 seconds for everybody together.
 */
const SPACING = {
  listMs: [0, 250, 500, 1_000, 2_000],
  resolveMs: [0, 50, 100, 200, 400, 800, 1_600, 2_400],
};

export interface ClaimEngineOptions {
  readonly provider: StaticIpProvider;
  readonly sources: readonly ClaimSource[];
  readonly clock: Clock;
  readonly random: Random;
  readonly hooks: ClaimHooks & ControllerHooks<string>;
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
  const lanes = createLanes(Math.max(1, Math.floor(options.workers / LANES_FOR_ALL)));
  let epoch = -Infinity;

  const queue = createWorkQueue<string>({
    clock,
    random,
    backoff: { baseMs: 1_000, maxMs: 300_000 },
    priority: (key) => registry.get(key)?.createdAt ?? 0,
  });
  const reads = createCloudReads({ provider, clock, upcoming, onListing });

  function upcoming(isStale: (ref: TargetRef) => boolean): readonly TargetRef[] {
    return [...queue.peek(LOOK_AHEAD), ...lanes.parked(LOOK_AHEAD)].flatMap((key) => {
      const claim = registry.get(key);
      return claim?.target !== undefined && claim.wanted.kind !== 'nothing' && isStale(claim.target)
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
    // Those that are parked wait for a place, whatever is free: they are woken by that.
    for (const { key } of registry.waiting(matches)) if (!lanes.isParked(key)) queue.add(key);
  }

  function onFreed(): void {
    registry.addressFreed(clock.monotonic());
    wake(() => true);
  }

  const sourceOf = (key: string): ClaimSource | undefined => sources.find(({ name }) => key.startsWith(`${name}/`));

  function touch(key: string): void {
    const claim = sourceOf(key)?.claimOf(key);
    if (claim === undefined) return drop(key);
    keepOwn(claim);
    const before = registry.get(key);
    if (!registry.put(claim, clock.monotonic())) return;
    if (before === undefined) return queue.add(key);
    wakeRivals(before);
    // The object was made anew for another instance: of the one before nobody asks any more.
    if (before.target !== undefined && !isSameTarget(before.target, claim.target)) reads.forget(before.target);
    backoffs.reset(key);
    queue.add(key);
  }

  /** Those that ask for the same target may have the better right now. */
  function wakeRivals(before: Claim): void {
    for (const rival of registry.rivals(before)) queue.add(rival.key);
  }

  /** What a status names as the claim's own is nobody else's to take, also while it is attached to nothing. */
  function keepOwn({ key, wanted, assignedId, assignedIp }: Claim): void {
    if (wanted.kind !== 'own' || assignedId === undefined || assignedIp === undefined) return;
    holds.keep(key, { id: assignedId, ip: assignedIp });
  }

  async function record(claim: Claim, verdict: Verdict, signal: AbortSignal): Promise<void> {
    const { status } = verdict;
    // Lost to another claim between the plan and now: planned anew, it is seen to be taken.
    if (status.kind === 'own' && !holds.keep(claim.key, status.address)) return;
    await sourceOf(claim.key)?.report(claim, verdict, signal);
    touch(claim.key);
  }

  async function prepare(claim: Claim, step: Step, signal: AbortSignal): Promise<boolean> {
    const isChanged = (await sourceOf(claim.key)?.prepare?.(claim, step, signal)) === true;
    if (isChanged) touch(claim.key);
    return isChanged;
  }

  function drop(key: string): void {
    const claim = registry.get(key);
    if (claim === undefined) return;
    registry.remove(key);
    lanes.unpark(key);
    wakeRivals(claim);
    holds.forget(key);
    backoffs.reset(key);
    if (claim.target !== undefined) reads.forget(claim.target);
    hooks.onGone(key);
    onFreed();
  }

  const parts = {
    provider,
    registry,
    reads,
    holds,
    rules,
    clock,
    hooks,
    startedAt: clock.monotonic(),
    acting: { count: 0 },
    lanes: { enter: (kind: Step['do'], claim: Claim) => lanes.enter(kind, claim), leave },
    isBusy: () => queue.depth() > 0 || lanes.parkedCount > 0,
    visibilityWindowMs: options.visibilityWindowMs,
  };

  async function reconcile(key: string, { signal }: { readonly signal: AbortSignal }): Promise<Outcome> {
    lanes.unpark(key);
    try {
      return await reconcileNow(key, signal);
    } finally {
      // It may not have needed the place that it was looked at for.
      admitParked();
    }
  }

  function leave(kind: Step['do']): void {
    lanes.leave(kind);
    admitParked();
  }

  function admitParked(): void {
    for (const key of lanes.due()) queue.add(key);
  }

  async function reconcileNow(key: string, signal: AbortSignal): Promise<Outcome> {
    const waitMs = backoffs.remainingMs(key, clock.monotonic());
    if (waitMs > 0) return again(waitMs);
    const { reviewAt } = registry.get(key) ?? {};
    if (reviewAt !== undefined && reviewAt <= clock.now()) touch(key);
    const deps = { ...parts, epoch: () => epoch, onFreed, prepare, record };
    const reconciled = await reconcileClaim(key, deps, signal);
    // The run may have marked what its claim did after the claim was dropped.
    if (registry.get(key) === undefined) holds.forget(key);
    // What was found out is about the claim as it was; a change has queued the key again.
    if (reconciled === undefined || registry.get(key) !== reconciled.claim) return settled;
    return conclude(reconciled, signal);
  }

  async function conclude({ claim, verdict, isProved }: Reconciled, signal: AbortSignal): Promise<Outcome> {
    registry.stand(claim.key, verdict.queue);
    if (isProved) settleHolds(claim, verdict);
    hooks.onVerdict(claim, verdict);
    // To be parked is no news of the claim: what it was told, and how often it failed, stands.
    if (verdict.recheck.kind !== 'turn') await sourceOf(claim.key)?.report(claim, verdict, signal);
    return outcomeOf(claim, verdict);
  }

  /** A claim at rest has reserved what the reads say it holds, and what they may not show yet. */
  function settleHolds({ key, wanted }: Claim, { status }: Verdict): void {
    if (status.kind === 'set') holds.confirm(key, { ip: status.ip, at: clock.monotonic() });
    else if (wanted.kind !== 'own' && !holds.isAwaiting(key, clock.monotonic() - options.visibilityWindowMs)) {
      holds.release(key);
    }
  }

  function outcomeOf({ key, reviewAt = Infinity }: Claim, { recheck }: Verdict): Outcome {
    if (recheck.kind === 'backoff') return again(backoffs.next(key, clock.monotonic()));
    if (recheck.kind !== 'turn') backoffs.reset(key);
    const dueMs = Math.min(recheck.kind === 'after' ? recheck.ms : Infinity, reviewAt - clock.now());
    return dueMs === Infinity ? settled : again(Math.max(0, dueMs));
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
