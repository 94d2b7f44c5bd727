import { formatTable } from '@static-ip/shell';
import { STATES } from '../controllers/status/object-status.ts';
import type { ObjectStatus, PoolStatus } from '../controllers/status/object-status.ts';
import type { ClusterStatus } from '../controllers/status/read-status.ts';
import { formatAge } from './format-age.ts';

/** Tables of the objects and of the pools, and a summary. `now` is wall time, ms. */
export function statusText({ objects, pools }: ClusterStatus, now: number): string {
  if (objects.length === 0) return 'No object asks for an address.';
  const parts = [objectTable(objects, now), ...(pools === undefined || pools.length === 0 ? [] : [poolTable(pools)])];
  const remark = pools === undefined ? '; not compared with the cloud' : '';
  return [...parts, `${summarize(objects)}${remark}`].join('\n\n');
}

function objectTable(objects: readonly ObjectStatus[], now: number): string {
  const rows = objects.map((one) => [
    one.state,
    `${one.kind}/${one.name}`,
    one.address ?? '-',
    [one.target, one.privateIp].filter((part) => part !== undefined).join(' ') || '-',
    one.reason ?? '-',
    one.since === undefined ? '-' : formatAge(now - Date.parse(one.since)),
    one.message ?? '',
  ]);
  return formatTable(['STATE', 'OBJECT', 'ADDRESS', 'ON', 'REASON', 'SINCE', 'MESSAGE'], rows);
}

function poolTable(pools: readonly PoolStatus[]): string {
  const rows = pools.map(({ name, total, free, attached, unclaimed, reserved, waiting }) => [
    name,
    ...[total, free, attached, unclaimed, reserved, waiting].map(String),
  ]);
  return formatTable(['POOL', 'TOTAL', 'FREE', 'ATTACHED', 'UNCLAIMED', 'RESERVED', 'WAITING'], rows);
}

/** `12 objects: 10 ready, 2 waiting (PoolExhausted 2)`. */
function summarize(objects: readonly ObjectStatus[]): string {
  const parts = STATES.toReversed().flatMap((state) => {
    const those = objects.filter((one) => one.state === state);
    if (those.length === 0) return [];
    const why = state === 'Ready' ? '' : reasonsOf(those);
    return [`${those.length} ${state.toLowerCase()}${why}`];
  });
  return `${objects.length} ${objects.length === 1 ? 'object' : 'objects'}: ${parts.join(', ')}`;
}

/** The reasons with their numbers, the most frequent first. */
function reasonsOf(objects: readonly ObjectStatus[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of objects) if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const told = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return told.length === 0 ? '' : ` (${told.map(([reason, count]) => `${reason} ${count}`).join(', ')})`;
}
