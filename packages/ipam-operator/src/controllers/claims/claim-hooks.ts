import type { Listing, Selection, StaticIpError } from '@static-ip/provider';
import type { Claim } from '../../core/claim.ts';
import type { Step, Verdict } from '../../core/plan.ts';

/** Where the engine tells what happens: logs and metrics hang here. A hook must not throw. */
export interface ClaimHooks {
  /** Directly before a step in the cloud. */
  readonly onStep: (claim: Claim, step: Step) => void;
  /** A step or a read that failed. */
  readonly onFailure: (claim: Claim, error: StaticIpError) => void;
  /** How the claim stands now, after each reconcile. */
  readonly onVerdict: (claim: Claim, verdict: Verdict) => void;
  /** After each resync, with all claims. */
  readonly onResync: (claims: readonly Claim[]) => void;
  /** The claim is gone. */
  readonly onGone: (claimKey: string) => void;
  /** A new listing of a pool. `claims` are all that exist, to tell whose addresses are whose. */
  readonly onListing: (selection: Selection, listing: Listing, claims: readonly Claim[]) => void;
}
