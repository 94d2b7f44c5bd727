import type { Claim } from '../../core/claim.ts';
import type { Verdict } from '../../core/plan.ts';
import { wayOutWarning } from '../../core/way-out.ts';
import type { WayOut } from '../../core/way-out.ts';
import type { Announcement } from '../claims/announcements.ts';

/** Decides when a missing way to the internet is news: a CiliumNode has no condition that would remember it. */
export interface RouteWarnings {
  of(claim: Pick<Claim, 'key'>, verdict: Pick<Verdict, 'status'>): readonly Announcement[];
  forget(claimKey: string): void;
}

/** Makes the memory; nothing was said yet. */
export function createRouteWarnings(wayOut: (interfaceId: string | undefined) => WayOut): RouteWarnings {
  const told = new Map<string, string>();
  return {
    of({ key }, { status }) {
      if (status.kind !== 'set') return [];
      const way = wayOut(status.attachment.interfaceId);
      if (way.kind === 'open') told.delete(key);
      const message = wayOutWarning(status.ip, way);
      if (message === undefined || told.get(key) === message) return [];
      told.set(key, message);
      return [{ type: 'Warning', reason: 'NoInternetRoute', message }];
    },
    forget: (claimKey) => void told.delete(claimKey),
  };
}
