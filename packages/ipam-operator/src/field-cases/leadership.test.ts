import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startWorld } from '@static-ip/testkit';
import type { OperatorProcess, World } from '@static-ip/testkit';

const POOL = { pool: 'a' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => world.reset());
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Each replica signs with a key of its own, so that the journal tells who called. */
function replica(name: string): Promise<OperatorProcess> {
  return world.operator(['--lease-duration', '2s'], { environment: { AWS_ACCESS_KEY_ID: name } });
}

function mutationsBy(name: string, since: number): number {
  return world.ec2
    .journal()
    .filter(({ principal, action, at }) => principal === name && !action.startsWith('Describe') && at >= since).length;
}

async function isLeading(operator: OperatorProcess): Promise<boolean> {
  const response = await fetch(`${operator.healthUrl}/readyz`).catch(() => undefined);
  return (await response?.text())?.includes('"leading"') === true;
}

async function untilLeading(operator: OperatorProcess): Promise<void> {
  await eventually(() => isLeading(operator), { timeoutMs: 10_000 });
}

describe('B56: of several replicas', () => {
  it('one acts, and hands over at once when it is told to stop', async () => {
    world.addPool(2, POOL);
    const first = await replica('first');
    await untilLeading(first);
    const second = await replica('second');
    await world.addNode({ name: 'n1', tags: POOL });
    await world.untilAssigned('n1');
    expect(mutationsBy('second', 0)).toBe(0);
    expect(await first.stop()).toBe(0);
    const stopped = performance.now();
    await untilLeading(second);
    expect(performance.now() - stopped).toBeLessThan(2_000);
    await world.addNode({ name: 'n2', tags: POOL });
    await world.untilAssigned('n2');
    expect(mutationsBy('second', 0)).toBe(1);
  });

  it('one that slept past its lease changes nothing when it wakes up', async () => {
    world.addPool(2, POOL);
    const sleeper = await replica('sleeper');
    await untilLeading(sleeper);
    const next = await replica('next');
    sleeper.signal('SIGSTOP');
    await untilLeading(next);
    await world.addNode({ name: 'n1', tags: POOL });
    await world.untilAssigned('n1');
    const wokenAt = Date.now();
    sleeper.signal('SIGCONT');
    await world.addNode({ name: 'n2', tags: POOL });
    await world.untilAssigned('n2');
    await sleep(1_000);
    expect(mutationsBy('sleeper', wokenAt)).toBe(0);
    expect(mutationsBy('next', 0)).toBe(2);
    expect(await isLeading(next)).toBe(true);
  });

  it('a killed one is followed after its lease, and nothing is attached twice', async () => {
    world.addPool(10, POOL);
    const first = await replica('first');
    await untilLeading(first);
    const second = await replica('second');
    const names = Array.from({ length: 10 }, (_, n) => `n${n}`);
    world.ec2.injectFault({ kind: 'delay', action: 'AssociateAddress', ms: 300, jitterMs: 300 });
    const adding = Promise.all(names.map((name) => world.addNode({ name, tags: POOL })));
    await eventually(() => mutationsBy('first', 0) > 2, { timeoutMs: 10_000 });
    await first.kill();
    await adding;
    await untilLeading(second);
    const ips = await Promise.all(names.map((name) => world.untilAssigned(name)));
    expect(new Set(ips).size).toBe(10);
    const attached = world.ec2.journal({ action: 'AssociateAddress' }).filter(({ effectAt }) => effectAt !== undefined);
    expect(attached).toHaveLength(10);
  });
});
