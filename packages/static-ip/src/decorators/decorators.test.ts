import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { createMemoryCloud, createTwoStepCloud } from '../memory/index.ts';
import type { StaticIpProvider } from '../provider.ts';
import { instrumented } from './instrumented.ts';
import type { VerbOutcome } from './instrumented.ts';
import { rateLimited } from './rate-limited.ts';
import { readOnly } from './read-only.ts';

const live = { signal: new AbortController().signal };
const pool = { by: 'tags', tags: { pool: 'a' } } as const;

function world() {
  const clock = createManualClock({ startMs: 0 });
  const cloud = createMemoryCloud({ clock });
  cloud.addAddresses({ tags: pool.tags, count: 2 });
  return { clock, cloud, ref: cloud.addInstance(), provider: cloud.provider() };
}

async function attachOne(provider: StaticIpProvider, ref: ReturnType<typeof world>['ref']) {
  const { addresses } = await provider.listAddresses(pool, live);
  const [resolution] = await provider.resolveTargets([ref], live);
  const address = addresses[0];
  if (address === undefined || resolution === undefined || 'error' in resolution) throw new Error('nothing to attach');
  return provider.attach({ candidate: { kind: 'address', address }, target: resolution.target }, live);
}

describe('readOnly', () => {
  it('reads, and refuses every change before the cloud hears of it', async () => {
    const { cloud, ref, provider } = world();
    const dry = readOnly(provider);
    await expect(attachOne(dry, ref)).rejects.toMatchObject({ code: 'unsupported', fields: { verb: 'attach' } });
    await expect(dry.allocate?.({ tags: {} }, live)).rejects.toMatchObject({ code: 'unsupported' });
    expect(cloud.ipOn(ref)).toBeUndefined();
    expect(cloud.addressIds()).toHaveLength(2);
    expect(await dry.quota?.(live)).toEqual({ used: 2, limit: 1_000 });
    expect(dry.capabilities).toEqual(provider.capabilities);
  });

  it('has no method that the provider lacks', () => {
    const provider = createTwoStepCloud({ clock: createManualClock({ startMs: 0 }) }).provider();
    expect(Object.keys(readOnly(provider)).toSorted()).toEqual(Object.keys(provider).toSorted());
  });
});

describe('instrumented', () => {
  it('reports verb, code and duration of every call, failed and aborted ones too', async () => {
    const { clock, cloud, ref, provider } = world();
    const seen: VerbOutcome[] = [];
    const watched = instrumented(provider, { clock, onOutcome: (outcome) => seen.push(outcome) });
    cloud.inject({ verb: 'listAddresses', kind: 'delay', ms: 70 });
    const listing = watched.listAddresses(pool, live);
    await clock.advance(70);
    await listing;
    cloud.inject({ verb: 'attach', kind: 'error', code: 'denied' });
    await expect(attachOne(watched, ref)).rejects.toThrow('scripted failure');
    await expect(watched.quota?.({ signal: AbortSignal.abort(new Error('late')) })).rejects.toThrow('late');
    expect(seen).toEqual([
      { verb: 'listAddresses', code: 'ok', durationMs: 70 },
      { verb: 'listAddresses', code: 'ok', durationMs: 0 },
      { verb: 'resolveTargets', code: 'ok', durationMs: 0 },
      { verb: 'attach', code: 'denied', durationMs: 0 },
      { verb: 'quota', code: 'aborted', durationMs: 0 },
    ]);
  });

  it('reports an error that is none of the closed list as internal, and passes it on', async () => {
    const { clock, provider } = world();
    const bug = new TypeError('a bug');
    const buggy: StaticIpProvider = { ...provider, quota: () => Promise.reject(bug) };
    const seen: VerbOutcome[] = [];
    const watched = instrumented(buggy, { clock, onOutcome: (outcome) => seen.push(outcome) });
    await expect(watched.quota?.(live)).rejects.toBe(bug);
    expect(seen.map(({ code }) => code)).toEqual(['internal']);
  });
});

describe('rateLimited', () => {
  it('B43: keeps the rate of a verb, and leaves verbs without one alone', async () => {
    const { clock, provider } = world();
    const limited = rateLimited(provider, { clock, rates: { quota: { perSecond: 2, burst: 3 } } });
    const doneMs: number[] = [];
    const calls = Array.from({ length: 6 }, async () => {
      await limited.quota?.(live);
      doneMs.push(clock.monotonic());
    });
    await limited.listAddresses(pool, live);
    await clock.advance(5_000);
    await Promise.all(calls);
    expect(doneMs).toEqual([0, 0, 0, 500, 1_000, 1_500]);
  });

  it('B43: slows down when the provider says throttled', async () => {
    const { clock, cloud, provider } = world();
    const limited = rateLimited(provider, { clock, rates: { quota: { perSecond: 10, burst: 10 } } });
    cloud.inject({ verb: 'quota', kind: 'error', code: 'throttled' });
    await expect(limited.quota?.(live)).rejects.toMatchObject({ code: 'throttled' });
    let isDone = false;
    const next = limited.quota?.(live).then(() => (isDone = true));
    await clock.advance(150);
    expect(isDone).toBe(false);
    await clock.advance(100);
    await next;
    expect(isDone).toBe(true);
  });
});
