import type { ReconcileReport } from '@static-ip/kube';
import type { Listing } from '@static-ip/provider';
import { describeSelection } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';
import type { Step, Verdict } from '../../core/plan.ts';
import type { Logger } from '@static-ip/shell';
import type { ClaimCount, Metrics, PoolCounts } from '../../telemetry/metrics.ts';
import type { ClaimHooks } from './claim-hooks.ts';

export interface ClaimTelemetry extends ClaimHooks {
  readonly onOutcome: (report: ReconcileReport<string>) => void;
}

/** Turns what the engine tells into logs and metrics. */
export function createClaimTelemetry(logger: Logger, metrics: Metrics): ClaimTelemetry {
  const log = logger.child({ controller: 'claims' });
  const pools = new Map<string, PoolCounts>();
  const verdicts = new Map<string, { readonly reason: string; readonly waiting: boolean }>();
  metrics.watchPools(() => pools);
  metrics.watchClaims(() => countClaims(verdicts));

  return {
    onStep: (claim, step) => log.info(INTENT[step.do], { key: claim.key, uid: claim.uid, ...fieldsOf(step) }),
    onFailure: (claim, err) => log.warn('Call to the cloud failed', { key: claim.key, code: err.code, err }),
    onVerdict: (claim, verdict) => {
      const before = verdicts.get(claim.key);
      verdicts.set(claim.key, { reason: verdict.reason, waiting: verdict.queue !== undefined });
      if (before?.reason === verdict.reason) return;
      logVerdict(log, claim, verdict);
    },
    onGone: (claimKey) => void verdicts.delete(claimKey),
    onListing: (selection, listing, claims) => {
      pools.set(describeSelection(selection), countPool(listing, claims));
    },
    onResync: (claims) => {
      const wanted = new Set(
        claims.flatMap(({ wanted: w }) => (w.kind === 'select' ? describeSelection(w.selection) : [])),
      );
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

/** An attached address counts as unclaimed when no claim asks for its target: nobody gives it back but a person. */
function countPool({ addresses, pools }: Listing, claims: readonly Claim[]): PoolCounts {
  const instances = new Set(claims.flatMap(({ target }) => target?.instanceId ?? []));
  const counts = { free: 0, attached: 0, unclaimed: 0, reserved: 0 };
  for (const { attachment, reserved } of addresses) {
    if (reserved !== undefined) counts.reserved += 1;
    else if (attachment === undefined) counts.free += 1;
    else if (attachment.instanceId === undefined || instances.has(attachment.instanceId)) counts.attached += 1;
    else counts.unclaimed += 1;
  }
  for (const { free, total } of pools) {
    counts.free += free;
    counts.attached += total - free;
  }
  return counts;
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
