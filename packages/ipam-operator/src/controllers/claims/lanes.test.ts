import { describe, expect, it } from '@jest/globals';
import { createLanes } from './lanes.ts';

const waiter = (n: number) => ({ key: `eip/default/w${n}`, createdAt: n });

describe('lanes', () => {
  it('let as many in as they are wide, each kind for itself', () => {
    const lanes = createLanes(2);
    expect([1, 2, 3].map((n) => lanes.enter('attach', waiter(n)))).toEqual([true, true, false]);
    expect(lanes.enter('release', waiter(4))).toBe(true);
  });

  it('name the oldest of those that are parked once there is a place, until they are looked at', () => {
    const lanes = createLanes(1);
    for (const n of [1, 5, 3, 4]) lanes.enter('attach', waiter(n));
    expect(lanes.due()).toEqual([]);
    lanes.leave('attach');
    expect(lanes.due()).toEqual([waiter(3).key]);
    lanes.unpark(waiter(3).key);
    expect(lanes.due()).toEqual([waiter(4).key]);
    expect(lanes.enter('attach', waiter(4))).toBe(true);
    expect(lanes.due()).toEqual([]);
    expect(lanes.parked(9)).toEqual([waiter(5).key]);
  });

  it('hold a claim in one line only', () => {
    const lanes = createLanes(1);
    lanes.enter('attach', waiter(1));
    lanes.enter('detach', waiter(2));
    lanes.enter('attach', waiter(3));
    lanes.enter('detach', waiter(3));
    expect(lanes.parked(9)).toEqual([waiter(3).key]);
    lanes.leave('attach');
    expect(lanes.due()).toEqual([]);
  });
});
