import { afterEach, describe, expect, it } from '@jest/globals';
import { StaticIpError } from '@static-ip/provider';
import type { StaticIpProvider, TargetRef } from '@static-ip/provider';
import { createMemoryCloud } from '@static-ip/provider/memory';
import { createManualClock } from '@static-ip/testkit';
import { watchRoutes } from './watch-routes.ts';

const INTERVAL_MS = 60_000;
const { signal } = new AbortController();

const stop = new Set<AbortController>();
afterEach(() => {
  for (const controller of stop) controller.abort();
  stop.clear();
});

function start() {
  const clock = createManualClock({ startMs: 0 });
  const cloud = createMemoryCloud({ clock });
  const provider = cloud.provider();
  const asked: (readonly string[])[] = [];
  const said: string[] = [];
  const trouble = { with: undefined as StaticIpError | undefined };
  const internetRoutes: StaticIpProvider['internetRoutes'] = async (networks, options) => {
    asked.push(networks);
    if (trouble.with !== undefined) throw trouble.with;
    return (await provider.internetRoutes?.(networks, options)) ?? [];
  };
  const log = (message: string): void => void said.push(message);
  const logger = { info: log, warn: log };
  const routes = watchRoutes({ provider, routes: { internetRoutes }, clock, logger, intervalMs: INTERVAL_MS });
  const controller = new AbortController();
  stop.add(controller);
  void routes.run(controller.signal);
  /** The way out of the target, which is resolved first, as a resync does. */
  const wayOf = async (ref: TargetRef): Promise<string> => {
    const [resolution] = await routes.provider.resolveTargets([ref], { signal });
    if (resolution === undefined || !('target' in resolution)) throw new Error('not resolved');
    return routes.of(resolution.target.interfaceId).kind;
  };
  return { clock, cloud, asked, said, trouble, wayOf };
}

describe('the watch of routes', () => {
  it('asks nothing while nothing was resolved', async () => {
    const { clock, asked } = start();
    await clock.advance(20 * INTERVAL_MS);
    expect(asked).toEqual([]);
  });

  it('knows nothing before it has asked, for all networks at once, and asks again ten minutes later', async () => {
    const { clock, cloud, asked, wayOf } = start();
    const [open, closed] = [cloud.addInstance(), cloud.addInstance()];
    cloud.closeNetwork(closed);
    expect([await wayOf(open), await wayOf(closed)]).toEqual(['unknown', 'unknown']);
    await clock.advance(INTERVAL_MS);
    expect([await wayOf(open), await wayOf(closed)]).toEqual(['open', 'closed']);
    expect(asked.map((networks) => networks.length)).toEqual([2]);
    cloud.closeNetwork(open);
    await clock.advance(9 * INTERVAL_MS);
    expect(await wayOf(open)).toBe('open');
    await clock.advance(INTERVAL_MS);
    expect(await wayOf(open)).toBe('closed');
    expect(asked).toHaveLength(2);
  });

  it('asks at the next look about a network that is new', async () => {
    const { clock, cloud, asked, wayOf } = start();
    await wayOf(cloud.addInstance());
    await clock.advance(INTERVAL_MS);
    const late = cloud.addInstance();
    await wayOf(late);
    await clock.advance(INTERVAL_MS);
    expect(await wayOf(late)).toBe('open');
    expect(asked).toHaveLength(2);
  });

  it('says once that it is refused, and asks ten minutes later', async () => {
    const { clock, cloud, asked, said, trouble, wayOf } = start();
    const ref = cloud.addInstance();
    trouble.with = new StaticIpError('denied', 'no');
    await wayOf(ref);
    await clock.advance(INTERVAL_MS);
    for (let minute = 0; minute < 20; minute++) {
      expect(await wayOf(ref)).toBe('unknown');
      await clock.advance(INTERVAL_MS);
    }
    expect([asked.length, said.length]).toEqual([3, 1]);
  });

  it('keeps what it knows while the cloud does not answer, and asks again at the next look', async () => {
    const { clock, cloud, asked, trouble, wayOf } = start();
    const ref = cloud.addInstance();
    await wayOf(ref);
    await clock.advance(INTERVAL_MS);
    expect(await wayOf(ref)).toBe('open');
    trouble.with = new StaticIpError('unavailable', 'no');
    await clock.advance(11 * INTERVAL_MS);
    expect(await wayOf(ref)).toBe('open');
    expect(asked.length).toBeGreaterThan(2);
  });
});
