import type { Ec2Call } from './core/step.ts';

/** What goes wrong. Where a call has an effect, `after-effect` kinds let it happen and lose the answer. */
export type FaultEffect =
  | { readonly kind: 'error'; readonly code: string; readonly status?: number; readonly message?: string }
  | { readonly kind: 'error-after-effect'; readonly code: string; readonly status?: number; readonly message?: string }
  /** The connection is reset (TCP RST). */
  | { readonly kind: 'reset-before-effect' | 'reset-after-effect' }
  /** No answer ever, until the caller hangs up. */
  | { readonly kind: 'hang-before-effect' | 'hang-after-effect' }
  /** The answer takes this long, plus up to `jitterMs`; half before and half after the effect. */
  | { readonly kind: 'delay'; readonly ms: number; readonly jitterMs?: number }
  /** RequestLimitExceeded, 503. */
  | { readonly kind: 'throttle' }
  /** UnauthorizedOperation, 403. */
  | { readonly kind: 'deny' }
  /** Reads answer as if no filter had been sent. */
  | { readonly kind: 'ignore-filters' }
  /** Reads see the world of this many milliseconds ago. */
  | { readonly kind: 'stale'; readonly ms: number }
  /** A paged read answers an empty page with a token. */
  | { readonly kind: 'empty-page' }
  /** The call waits, before or after its effect, until it is released. */
  | { readonly kind: 'pause'; readonly point: 'before-effect' | 'after-effect' };

/** A fault and the calls it is for. */
export type Fault = FaultEffect & {
  /** The action, or any if absent. */
  readonly action?: string;
  /** Parameters the call must have with exactly these values. */
  readonly match?: Readonly<Record<string, string>>;
  /** The access key id of the caller, or any if absent. */
  readonly principal?: string;
  /** How many calls it hits; `always` until removed. One by default, or always for those kinds that are a condition. */
  readonly times?: number | 'always';
  /** Milliseconds from injection after which it hits no more. */
  readonly forMs?: number;
};

/** A fault that is in force. */
export interface ArmedFault {
  readonly id: string;
  readonly fault: Fault;
  /** Calls it may still hit; Infinity for always. */
  readonly remaining: number;
  readonly hits: number;
  /** Time at which it ends by itself, Infinity if never. */
  readonly until: number;
}

const CONDITIONS: ReadonlySet<FaultEffect['kind']> = new Set(['delay', 'throttle', 'deny', 'ignore-filters', 'stale']);

/** Puts a fault in force at `now`. */
export function armFault(id: string, fault: Fault, now: number): ArmedFault {
  const times = fault.times ?? (CONDITIONS.has(fault.kind) ? 'always' : 1);
  const remaining = times === 'always' ? Number.POSITIVE_INFINITY : times;
  return {
    id,
    fault,
    remaining,
    hits: 0,
    until: fault.forMs === undefined ? Number.POSITIVE_INFINITY : now + fault.forMs,
  };
}

/** The faults that hit a call, and all faults after that. */
export function hitFaults(
  armed: readonly ArmedFault[],
  call: Ec2Call,
): { hit: readonly ArmedFault[]; armed: readonly ArmedFault[] } {
  const hit = armed.filter((candidate) => isHit(candidate, call));
  if (hit.length === 0) return { hit, armed };
  return {
    hit,
    armed: armed.map((each) =>
      hit.includes(each) ? { ...each, remaining: each.remaining - 1, hits: each.hits + 1 } : each,
    ),
  };
}

function isHit({ fault, remaining, until }: ArmedFault, call: Ec2Call): boolean {
  if (remaining <= 0 || call.now >= until) return false;
  if (fault.action !== undefined && fault.action !== call.action) return false;
  if (fault.principal !== undefined && fault.principal !== call.principal) return false;
  return Object.entries(fault.match ?? {}).every(([name, value]) => call.params[name] === value);
}
