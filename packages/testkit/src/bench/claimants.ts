import type { Seen, Watched } from './watch-addresses.ts';

/** A node or pod that has the address that it shows. */
interface RightClaimant {
  readonly name: string;
  readonly allocationId: string;
}

export interface Verdict {
  readonly right: readonly RightClaimant[];
  /** One sentence for each other claimant. */
  readonly wrong: readonly string[];
}

/** What a run is about: nodes or pods that are to have addresses, and how one sees that each has the right one. */
export interface Claimants {
  readonly noun: 'nodes' | 'pods';
  readonly names: readonly string[];
  /** The objects that show the addresses. */
  readonly watched: Watched;
  /** Holds what they show against the account itself. */
  readonly judge: (seen: ReadonlyMap<string, Pick<Seen, 'address'>>) => Promise<Verdict>;
}
