import type { Condition } from '../../api/condition.ts';
import type { Eip } from '../../api/eip.ts';
import { CONDITION } from '../../api/names.ts';
import type { Verdict } from '../../core/plan.ts';
import { wayOutWarning } from '../../core/way-out.ts';
import type { WayOut } from '../../core/way-out.ts';

/** The condition that the Eip has now. */
export function shownRoute({ status }: Eip): Condition | undefined {
  return status.conditions.find(({ type }) => type === CONDITION.internetRoute);
}

/**
 * The condition that it shall have: only where the way to the internet is missing, so that the others need no write. What is
 * not known stays as it is. `now` is RFC 3339 text.
 */
export function routeCondition(
  eip: Eip,
  { status }: Verdict,
  { way, now }: { readonly way: WayOut; readonly now: string },
): Condition | undefined {
  const before = shownRoute(eip);
  if (status.kind === 'own' || status.kind === 'clear') return undefined;
  if (status.kind === 'keep' || way.kind === 'unknown') return before;
  const message = wayOutWarning(status.ip, way);
  if (message === undefined) return undefined;
  return {
    type: CONDITION.internetRoute,
    status: 'False',
    reason: 'NoInternetRoute',
    message,
    lastTransitionTime: before?.lastTransitionTime ?? now,
    observedGeneration: eip.metadata.generation,
  };
}
