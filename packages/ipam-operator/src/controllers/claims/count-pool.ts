import type { Listing } from '@static-ip/provider';
import type { Claim } from '../../core/claim.ts';
import type { PoolCounts } from '../../telemetry/metrics.ts';

/**
 * Counts the addresses of a pool by state, for the metric and for `status`. An attached address counts as unclaimed when
 * no claim asks for its target: nobody gives it back but a person.
 */
export function countPool({ addresses, pools }: Listing, claims: readonly Pick<Claim, 'target'>[]): PoolCounts {
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
