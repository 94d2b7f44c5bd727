import type { Step } from '../../core/plan.ts';
import { createWaitingLine } from './waiting-line.ts';
import type { Waiter, WaitingLine } from './waiting-line.ts';

type Kind = Step['do'];

/**
 * How many claims may be at a step of one kind at a time. The cloud gives each kind of call a budget of its own; more than
 * it takes would hold workers that other kinds could use, and would act on what they have read long before. The others are
 * parked, the oldest first in line, and cost nothing.
 */
export interface Lanes {
  /** Takes a place, to be given back with `leave`; false: none is free, and the claim is parked. */
  enter(kind: Kind, waiter: Waiter): boolean;
  leave(kind: Kind): void;
  /** The claim is looked at, or gone: it is parked no more. */
  unpark(key: string): void;
  /** Keys of parked claims for which a place is free: they are to be looked at. They stay parked until they are. */
  due(): readonly string[];
  /** Keys of parked claims, so many of each kind at most: those that wait to attach first, and the oldest first. */
  parked(most: number): readonly string[];
  isParked(key: string): boolean;
  readonly parkedCount: number;
}

interface Lane {
  taken: number;
  readonly line: WaitingLine;
}

/** Makes lanes that are empty; `width` places each. */
export function createLanes(width: number): Lanes {
  const lanes: Readonly<Record<Kind, Lane>> = {
    attach: newLane(),
    detach: newLane(),
    allocate: newLane(),
    release: newLane(),
    retain: newLane(),
  };
  const parkedAs = new Map<string, { readonly line: WaitingLine; readonly waiter: Waiter }>();

  const unpark = (key: string): void => {
    const place = parkedAs.get(key);
    parkedAs.delete(key);
    place?.line.remove(place.waiter);
  };

  return {
    enter(kind, waiter) {
      const lane = lanes[kind];
      unpark(waiter.key);
      if (lane.taken < width) {
        lane.taken += 1;
        return true;
      }
      lane.line.add(waiter);
      parkedAs.set(waiter.key, { line: lane.line, waiter });
      return false;
    },
    leave(kind) {
      lanes[kind].taken -= 1;
    },
    unpark,
    due: () => Object.values(lanes).flatMap(({ taken, line }) => (taken < width ? line.first(width - taken) : [])),
    parked: (most) => Object.values(lanes).flatMap(({ line }) => line.first(most)),
    isParked: (key) => parkedAs.has(key),
    get parkedCount() {
      return parkedAs.size;
    },
  };
}

function newLane(): Lane {
  return { taken: 0, line: createWaitingLine() };
}
