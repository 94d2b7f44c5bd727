import type { Address, AllocateRequest, Attachment, Candidate, Target } from '@static-ip/provider';
import type { Reason } from '../api/reasons.ts';
import type { Place } from './claim.ts';

/** The one next step in the cloud. After it the world is read and planned again. */
export type Step =
  /** Try the candidates in order until one is not lost to somebody else. */
  | {
      readonly do: 'attach';
      readonly candidates: readonly Candidate[];
      readonly target: Target;
      /** The claim's own previous address on the target, which this one replaces. */
      readonly expected?: Attachment | undefined;
    }
  | { readonly do: 'detach'; readonly attachment: Attachment }
  /** Make an address that carries the claim's marks. */
  | { readonly do: 'allocate'; readonly request: AllocateRequest }
  /** Give back an address that carries them. */
  | { readonly do: 'release'; readonly address: Address }
  /** Write on an address that stays behind that it does so on purpose. */
  | { readonly do: 'retain'; readonly address: Address };

/** What the object's status shall say. `keep` is the answer whenever something is not known. */
export type StatusChange =
  | { readonly kind: 'keep' }
  /** Attached, and seen to be. */
  | { readonly kind: 'set'; readonly ip: string; readonly attachment: Attachment }
  /** The claim's own, but on no target; `place` is where it is about to be attached. */
  | { readonly kind: 'own'; readonly address: Pick<Address, 'id' | 'ip'>; readonly place?: Place | undefined }
  | { readonly kind: 'clear' };

/** When to look again if nothing changes: with the next resync, after a time, after a time that grows, or in its turn. */
export type Recheck =
  | { readonly kind: 'resync' }
  | { readonly kind: 'after'; readonly ms: number }
  | { readonly kind: 'backoff' }
  | { readonly kind: 'turn' };

/** What to tell about a claim, and when to look again. */
export interface Verdict {
  readonly reason: Reason;
  /** A sentence for users; counts and names only, so that it is equal while the world is. */
  readonly message: string;
  readonly status: StatusChange;
  readonly recheck: Recheck;
  /** The claim has ended and nothing of it is left in the cloud. */
  readonly ended?: boolean | undefined;
  /** Set while the claim stands in a queue: claims with equal words wait for the same addresses. */
  readonly queue?: string | undefined;
}

/** How fresh the next facts must be: monotonic ms that the reads must not have begun before. */
export interface Need {
  readonly listing?: number | undefined;
  readonly target?: number | undefined;
  /** The read of the target is the first since something was attached there. */
  readonly confirms?: boolean | undefined;
}

/** The planner asks for facts, for one step, or for nothing. */
export type Plan =
  /** `onFailure` is what the status shall say when the read fails; default: what it says now. */
  | { readonly kind: 'read'; readonly need: Need; readonly onFailure?: StatusChange | undefined }
  /** The same when the step fails for good. */
  | { readonly kind: 'step'; readonly step: Step; readonly onFailure: StatusChange }
  /** Write this down before anything else happens: after a crash it would be needed to go on. */
  | { readonly kind: 'record'; readonly verdict: Verdict }
  | { readonly kind: 'rest'; readonly verdict: Verdict };

export const KEEP: StatusChange = { kind: 'keep' };
export const RESYNC: Recheck = { kind: 'resync' };

/** A plan that changes nothing in the cloud. */
export function rest(verdict: Pick<Verdict, 'reason' | 'message'> & Partial<Verdict>): Plan {
  return { kind: 'rest', verdict: { status: KEEP, recheck: RESYNC, ...verdict } };
}
