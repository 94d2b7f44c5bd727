export type { MemoryControls, NewInstance, NewSupply } from './controls.ts';
export type { Fault, FaultEffect } from './faults.ts';
export type { MemoryCloud, MemoryCloudOptions } from './memory-cloud.ts';
export { createMemoryCloud } from './one-step-cloud.ts';
export { createPrefixCloud } from './prefix-cloud.ts';
export { createTwoStepCloud } from './two-step-cloud.ts';
export type { SteppedCloud } from './two-step-cloud.ts';
