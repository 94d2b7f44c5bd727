import type { ControllerHooks } from '@static-ip/kube';
import { describeSelection, poolOf } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';
import type { Step, Verdict } from '../../core/plan.ts';
import type { Logger } from '@static-ip/shell';
import type { ClaimCount, Metrics, PoolCounts } from '../../telemetry/metrics.ts';
import { traceRuns } from '../../telemetry/tracer.ts';
import type { Tracer } from '../../telemetry/tracer.ts';
import type { ClaimHooks } from './claim-hooks.ts';
import { countPool } from './count-pool.ts';

export interface ClaimTelemetry extends ClaimHooks, Required<ControllerHooks<string>> {}

/** Turns what the engine tells into logs, metrics and traces. */
export function createClaimTelemetry(logger: Logger, metrics: Metrics, tracer: Tracer): ClaimTelemetry {
  const log = logger.child({ controller: 'claims' });
  const pools = new Map<string, PoolCounts>();
  const verdicts = new Map<string, { readonly reason: string; readonly waiting: boolean }>();
  metrics.watchPools(() => pools);
  metrics.watchClaims(() => countClaims(verdicts));

  return {
    around: traceRuns(tracer),
    onStep: (claim, step) => {
      log.info(INTENT[step.do], { key: claim.key, uid: claim.uid, ...fieldsOf(step) });
      tracer.event(INTENT[step.do], { action: step.do, ...fieldsOf(step) });
    },
    onFailure: (claim, err) => {
      log.warn('Call to the cloud failed', { key: claim.key, code: err.code, err });
      tracer.fail(err.code, err.message);
    },
    onVerdict: (claim, verdict) => {
      tracer.tell({ uid: claim.uid, reason: verdict.reason });
      const before = verdicts.get(claim.key);
      verdicts.set(claim.key, { reason: verdict.reason, waiting: verdict.queue !== undefined });
      if (before?.reason === verdict.reason) return;
      logVerdict(log, claim, verdict);
    },
    onGone: (claimKey) => void verdicts.delete(claimKey),
    onListing: (selection, listing, claims) => {
      if (selection.by !== 'tags') return;
      pools.set(describeSelection(selection), countPool(listing, claims));
    },
    onResync: (claims) => {
      const wanted = new Set(claims.flatMap((claim) => poolOf(claim) ?? []).map(describeSelection));
      for (const pool of pools.keys()) if (!wanted.has(pool)) pools.delete(pool);
    },
    onOutcome: ({ controller, outcome, durationMs, code, key, reconcileId, attempt }) => {
      metrics.reconciled({ controller, outcome: code ?? outcome.kind, durationMs });
      if (outcome.kind !== 'error') return;
      log.error('Reconcile failed', { key, reconcileId, attempt, durationMs, err: outcome.error });
    },
  };
}

const INTENT = {
  attach: 'Attaching address',
  detach: 'Detaching address',
  allocate: 'Allocating address',
  release: 'Releasing address',
  retain: 'Marking address to be kept',
} as const;

function fieldsOf(step: Step): Record<string, string | undefined> {
  switch (step.do) {
    case 'attach': {
      const [first] = step.candidates;
      const id = first?.kind === 'address' ? first.address.id : first?.pool.id;
      return { addressId: id, target: step.target.id, replaces: step.expected?.addressId };
    }
    case 'detach':
      return { addressId: step.attachment.addressId, ip: step.attachment.ip, attachmentId: step.attachment.id };
    case 'allocate':
      return { pool: step.request.pool, location: step.request.location };
    case 'release':
    case 'retain':
      return { addressId: step.address.id, ip: step.address.ip };
  }
}

function logVerdict(log: Logger, { key, uid, assignedIp }: Claim, { reason, message, status }: Verdict): void {
  if (status.kind === 'keep' || (status.kind === 'set' && status.ip === assignedIp)) {
    log.debug('Claim is at rest', { key, uid, reason, detail: message });
    return;
  }
  log.info('Claim changed', { key, uid, reason, ip: status.kind === 'set' ? status.ip : '', before: assignedIp ?? '' });
}

function countClaims(verdicts: ReadonlyMap<string, { reason: string; waiting: boolean }>): readonly ClaimCount[] {
  const counts = new Map<string, ClaimCount>();
  for (const [key, { reason, waiting }] of verdicts) {
    const source = key.slice(0, key.indexOf('/'));
    const name = `${source} ${reason} ${String(waiting)}`;
    counts.set(name, { source, reason, waiting, count: (counts.get(name)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
