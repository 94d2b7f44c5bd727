import type { Address, Instance, NetworkInterface, World } from './model.ts';
import type { Ec2State, Snapshot } from './state.ts';

/**
 * How far reads lag behind writes.
 * Source: https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
 */
export interface VisibilitySettings {
  /** Describe calls see the world as it was this many milliseconds ago. */
  readonly staleMs: number;
  /** A resource created by an API call is unknown to every other call for this many milliseconds. */
  readonly hideNewMs: number;
}

/** The world a read at `now` sees: as of `staleMs` ago, or the oldest version kept. */
export function worldAsOf(state: Ec2State, now: number, staleMs: number): World {
  if (staleMs <= 0) return state.world;
  const seen = state.history.findLast((snapshot) => snapshot.at <= now - staleMs) ?? state.history[0];
  return seen?.world ?? state.world;
}

/** Adds the current world to the history and drops the versions that no read within `keepMs` can see any more. */
export function remember(history: readonly Snapshot[], snapshot: Snapshot, keepMs: number): readonly Snapshot[] {
  if (keepMs <= 0) return [];
  const last = history.at(-1);
  if (last?.world === snapshot.world) return history;
  const firstKept = history.findLastIndex((old) => old.at <= snapshot.at - keepMs);
  return [...(firstKept > 0 ? history.slice(firstKept) : history), snapshot];
}

/** Whether a call at `now` knows this resource. */
export function isVisible(state: Ec2State, resource: Address | Instance | NetworkInterface, now: number): boolean {
  return now - resource.createdAt >= state.settings.visibility.hideNewMs;
}
