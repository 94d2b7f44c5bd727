import type { StaticIpError, StaticIpErrorCode } from '@static-ip/provider';
import type { Reason } from '../api/reasons.ts';
import { KEEP, RESYNC } from './plan.ts';
import type { Recheck, StatusChange, Verdict } from './plan.ts';

interface Meaning {
  readonly reason: Reason;
  readonly says: string;
  readonly recheck: Recheck;
}

const BACKOFF: Recheck = { kind: 'backoff' };

/** The one table from the provider's codes to reasons. */
const MEANING: Readonly<Record<StaticIpErrorCode, Meaning>> = {
  throttled: { reason: 'CloudThrottled', says: 'The cloud limits the rate of calls', recheck: BACKOFF },
  unavailable: { reason: 'CloudUnavailable', says: 'The cloud does not answer', recheck: BACKOFF },
  unknown: { reason: 'CloudUnavailable', says: 'The cloud did not confirm a change', recheck: BACKOFF },
  internal: { reason: 'InternalError', says: 'A fault in the operator, see its log', recheck: BACKOFF },
  conflict: { reason: 'Conflict', says: 'Somebody else was faster', recheck: BACKOFF },
  exhausted: { reason: 'PoolExhausted', says: 'No address is free', recheck: RESYNC },
  quota: { reason: 'QuotaExceeded', says: 'The quota of the account is reached', recheck: BACKOFF },
  denied: { reason: 'AccessDenied', says: 'The cloud refuses the call', recheck: BACKOFF },
  inUse: { reason: 'TargetOccupied', says: 'The address or the target is in use', recheck: RESYNC },
  notReady: { reason: 'InstanceNotRunning', says: 'The instance cannot take an address yet', recheck: BACKOFF },
  notFound: { reason: 'InstanceNotFound', says: 'The cloud does not know it (yet)', recheck: BACKOFF },
  invalid: { reason: 'RequestInvalid', says: 'The cloud cannot accept the request', recheck: BACKOFF },
  unsupported: { reason: 'Unsupported', says: 'The provider cannot do this', recheck: BACKOFF },
};

/** What to tell about a failed call. The status is kept unless the caller has proof against it. */
export function errorVerdict(error: StaticIpError, status: StatusChange = KEEP): Verdict {
  const { reason, says, recheck } = MEANING[error.code];
  return { reason, message: `${says}: ${explain(error)}`, status, recheck };
}

/** The provider's message and the fields that help a reader; request ids would make every Event different. */
function explain(error: StaticIpError): string {
  const fields = Object.entries(error.fields).filter(([name]) => name !== 'requestId');
  if (fields.length === 0) return error.message;
  return `${error.message} (${fields.map(([name, value]) => `${name} ${value}`).join(', ')})`;
}
