export { contractCases } from './contract-cases.ts';
export type { ContractCase } from './contract-cases.ts';
export type { Ability, ContractHarness, ContractWorld, InstanceRef, PodRef, Tags, WorldAbilities } from './harness.ts';
