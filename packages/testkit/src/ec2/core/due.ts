import type { InstanceState, World } from './model.ts';
import { finishTransition, returnAutoPublicIp } from './instance-life.ts';
import type { IdSource } from './seeded-ids.ts';

/** Something that happens by itself at `at` (milliseconds on the emulator's clock). */
export type DueEffect =
  | { readonly kind: 'instance-state'; readonly at: number; readonly instanceId: string; readonly to: InstanceState }
  | { readonly kind: 'auto-public-ip'; readonly at: number; readonly interfaceId: string };

/** Applies all effects due by `now`, in order of time. */
export function applyDue(
  world: World,
  due: readonly DueEffect[],
  context: { now: number; ids: IdSource },
): { world: World; due: readonly DueEffect[] } {
  if (!due.some((effect) => effect.at <= context.now)) return { world, due };
  const ripe = due.filter((effect) => effect.at <= context.now).toSorted((left, right) => left.at - right.at);
  return {
    world: ripe.reduce((current, effect) => applyOne(current, effect, context.ids), world),
    due: due.filter((effect) => effect.at > context.now),
  };
}

function applyOne(world: World, effect: DueEffect, ids: IdSource): World {
  return effect.kind === 'instance-state'
    ? finishTransition(world, effect, ids)
    : returnAutoPublicIp(world, effect.interfaceId, ids);
}
