import { REASONS } from '../../api/reasons.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Claim } from '../../core/claim.ts';
import type { Verdict } from '../../core/plan.ts';

/** Something users should hear of. */
export interface Announcement {
  readonly type: 'Normal' | 'Warning';
  readonly reason: Reason;
  readonly message: string;
}

/** A young instance is often unknown or not running for a moment, and clouds hiccup: no word of it before this, ms. */
const PATIENCE_MS = 60_000;

const PATIENT: ReadonlySet<Reason> = new Set([
  'InstanceNotFound',
  'PrivateIpUnknown',
  'InstanceNotRunning',
  'InstanceUnknown',
  'CloudUnavailable',
  'InternalError',
]);

/** Said once for all claims, not once per claim: it is the operator's trouble, not the object's. */
const SHARED: ReadonlySet<Reason> = new Set(['AccessDenied', 'CloudUnavailable', 'QuotaExceeded']);

interface Said {
  readonly reason: Reason;
  /** What the claim is about while in this reason: another address is news, another count is not. */
  readonly topic: string;
  readonly since: number;
  readonly isSaid: boolean;
}

/** Decides what is news. It remembers, per claim, the reason it is in and whether that was said. */
export interface Announcements {
  /** What to say about the verdict at `now` (monotonic ms); empty when it is no news. */
  of(claim: Claim, verdict: Verdict, now: number): readonly Announcement[];
  forget(claimKey: string): void;
}

/** Makes the memory; nothing was said yet. */
export function createAnnouncements(): Announcements {
  const last = new Map<string, Said>();
  const shared = new Map<Reason, string>();

  /** For a shared reason one claim speaks for all, for as long as it is in it. */
  const maySay = (key: string, reason: Reason): boolean => {
    if (!SHARED.has(reason)) return true;
    return (shared.get(reason) ?? key) === key;
  };

  const remember = (key: string, said: Said): void => {
    const before = last.get(key);
    if (before !== undefined && before.reason !== said.reason && shared.get(before.reason) === key) {
      shared.delete(before.reason);
    }
    if (said.isSaid && SHARED.has(said.reason)) shared.set(said.reason, key);
    last.set(key, said);
  };

  const isNews = ({ key }: Claim, { reason, message }: Verdict, now: number): boolean => {
    const topic = reason === 'AddressAssigned' ? message : reason;
    const known = last.get(key);
    const before = known?.topic === topic ? known : { reason, topic, since: now, isSaid: false };
    const isDue = !PATIENT.has(reason) || now - before.since >= PATIENCE_MS;
    const isSaidNow = !before.isSaid && isDue && maySay(key, reason);
    remember(key, { ...before, isSaid: before.isSaid || isSaidNow });
    return isSaidNow;
  };

  return {
    of(claim, verdict, now) {
      const news = isNews(claim, verdict, now);
      const said: Announcement[] = [];
      const { status, reason, message } = verdict;
      if (status.kind === 'clear' && claim.assignedIp !== undefined && reason !== 'AddressDetached') {
        said.push({ type: 'Warning', reason: 'AddressLost', message: `${claim.assignedIp} is no longer attached` });
      }
      const type = REASONS[reason];
      if (type === 'none') return said;
      // After a restart every claim is met anew: what its status says already is no news.
      const isOld = reason === 'AddressAssigned' && status.kind === 'set' && status.ip === claim.assignedIp;
      if (news && !isOld) said.push({ type, reason, message });
      return said;
    },
    forget(claimKey) {
      last.delete(claimKey);
      for (const [reason, key] of shared) if (key === claimKey) shared.delete(reason);
    },
  };
}
