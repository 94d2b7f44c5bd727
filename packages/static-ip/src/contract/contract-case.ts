import type { Ability, ContractWorld } from './harness.ts';

/** What a case needs of the cloud. `addresses`: they exist before they are attached; `pools`: they do not. */
export type Feature = 'podTargets' | 'noPodTargets' | 'addresses' | 'pools' | 'allocation' | 'quota' | 'routes';

/** A case as it is written down. */
export interface CaseDefinition {
  /** Stable, for the declaration of gaps. */
  readonly id: string;
  /** A sentence of behaviour. */
  readonly name: string;
  readonly features?: readonly Feature[];
  readonly abilities?: readonly Ability[];
  readonly run: (world: ContractWorld) => Promise<void>;
}
