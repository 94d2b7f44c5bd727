export { createManualClock } from './clock/manual-clock.ts';
export type { ManualClock } from './clock/manual-clock.ts';
export { createSeededRandom } from './clock/seeded-random.ts';
