import { compareClaims } from './claim.ts';
import type { Facts, Placement } from './facts.ts';

/** The claim whose status names what the target holds comes first, then the older one. Undefined: this claim. */
export function betterRight({ claim, rivals }: Facts, { holding }: Placement): string | undefined {
  const holds = (ip: string | undefined): number => (holding !== undefined && ip === holding.ip ? 0 : 1);
  const [first] = [claim, ...rivals].toSorted(
    (a, b) => holds(a.assignedIp) - holds(b.assignedIp) || compareClaims(a, b),
  );
  return first === undefined || first.key === claim.key ? undefined : first.key;
}
