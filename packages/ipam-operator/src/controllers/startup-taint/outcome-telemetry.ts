import type { ReconcileReport } from '@static-ip/kube';
import type { Logger } from '@static-ip/shell';
import type { Metrics } from '../../telemetry/metrics.ts';

/** What a person has to do, where the server refuses for rights. */
const FORBIDDEN =
  'Cannot remove start-up taints: the right to patch nodes is missing (the chart gives it with startupTaint)';

/** Counts how each look at a node ended, and tells what went wrong; a missing right once, not for every node. */
export function createOutcomeTelemetry(
  log: Logger,
  metrics: Pick<Metrics, 'reconciled'>,
): (report: ReconcileReport<string>) => void {
  let isRefused = false;
  return ({ controller, key, outcome, code, durationMs }) => {
    metrics.reconciled({ controller, outcome: code ?? outcome.kind, durationMs });
    if (outcome.kind !== 'error') return;
    // Somebody else has changed the taints since they were read: the next look sees them.
    if (code === 'invalid' || code === 'conflict') return log.debug('Taints have changed meanwhile', { node: key });
    if (code !== 'forbidden') return log.warn('Cannot remove the start-up taint', { node: key, err: outcome.error });
    if (!isRefused) log.warn(FORBIDDEN, { node: key, err: outcome.error });
    isRefused = true;
  };
}
