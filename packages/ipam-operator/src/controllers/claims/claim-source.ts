import type { Claim } from '../../core/claim.ts';
import type { Step, Verdict } from '../../core/plan.ts';

/**
 * One kind of object that makes claims. A flow differs from another only in this: how a claim is gathered from objects,
 * and how its verdict is told.
 */
export interface ClaimSource {
  /** The first part of its claims' keys. */
  readonly name: string;
  /** The claim as the objects say it now; undefined when nothing of it is left. Free of effects. */
  claimOf(key: string): Claim | undefined;
  /** Keys of all claims that exist now. */
  keys(): readonly string[];
  /**
   * Makes the objects safe for a step before it is taken, for example by a finalizer. True when something was written:
   * then the claim is planned anew. @throws KubeError
   */
  prepare?(claim: Claim, step: Step, signal: AbortSignal): Promise<boolean>;
  /**
   * Writes what the verdict says to the object, only where it differs, and tells users of changes.
   * @throws KubeError when the status could not be written.
   */
  report(claim: Claim, verdict: Verdict, signal: AbortSignal): Promise<void>;
}
