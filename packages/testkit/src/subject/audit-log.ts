import { readFileSync } from 'node:fs';

/** The fields we use of an audit.k8s.io/v1 Event. */
interface AuditEvent {
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/**
 * Writes to the API server by what they did, such as `patch ciliumnodes/status`, Leases apart.
 * @param sinceMs milliseconds since the epoch
 */
export function countWrites(
  auditLogFile: string,
  { sinceMs }: { readonly sinceMs: number },
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of readFileSync(auditLogFile, 'utf8').split('\n')) {
    if (line === '') continue;
    const { verb, objectRef, requestReceivedTimestamp }: AuditEvent = JSON.parse(line);
    if (objectRef?.resource === 'leases' || Date.parse(requestReceivedTimestamp) < sinceMs) continue;
    const what = [objectRef?.resource ?? '(no resource)', objectRef?.subresource].filter(Boolean).join('/');
    const name = `${verb} ${what}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
