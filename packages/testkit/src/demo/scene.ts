import type { Narrator } from './narrator.ts';
import type { Stage } from './stage.ts';

/** What every step of the story is given. */
export interface Scene {
  readonly stage: Stage;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}
