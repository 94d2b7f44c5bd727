import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import type { ManualClock } from '@static-ip/testkit';
import type { Address, Selection } from '../address.ts';
import { StaticIpError } from '../errors.ts';
import type { Listing, StaticIpProvider } from '../provider.ts';
import type { Resolution, TargetRef } from '../target.ts';
import { coalesced } from './coalesced.ts';

const live = new AbortController().signal;
const poolA: Selection = { by: 'tags', tags: { pool: 'a', tier: 'x' } };

interface Read<Query, Answer> {
  readonly query: Query;
  readonly atMs: number;
  readonly signal: AbortSignal;
  answer(value: Answer): void;
  fail(error: unknown): void;
}

/** A provider whose reads stay open until the test answers them. */
function openWorld(options: { readonly maxBatch?: number } = {}) {
  const clock = createManualClock({ startMs: 0 });
  const lists: Read<Selection, Listing>[] = [];
  const resolves: Read<readonly TargetRef[], readonly Resolution[]>[] = [];
  const record = <Query, Answer>(log: Read<Query, Answer>[], query: Query, signal: AbortSignal): Promise<Answer> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    log.push({ query, atMs: clock.monotonic(), signal, answer: resolve, fail: reject });
    return promise;
  };
  const inner = {
    name: 'open',
    capabilities: {
      podTargets: true,
      atomicSwap: true,
      createsFromPool: false,
      allocation: false,
      quota: false,
      routes: false,
    },
    listAddresses: (selection, { signal }) => record(lists, selection, signal),
    resolveTargets: (refs, { signal }) => record(resolves, refs, signal),
    attach: () => Promise.reject(new Error('not used')),
    detach: () => Promise.reject(new Error('not used')),
  } satisfies StaticIpProvider;
  return { clock, lists, resolves, provider: coalesced(inner, { clock, ...options }) };
}

function address(id: string, tags: Record<string, string>): Address {
  return { id, ip: '203.0.113.1', tags };
}

function listingOf(...addresses: readonly Address[]): Listing {
  return { addresses, pools: [] };
}

function instances(...ids: readonly string[]): readonly TargetRef[] {
  return ids.map((instanceId) => ({ kind: 'instance', instanceId }));
}

function notFound(refs: readonly TargetRef[]): readonly Resolution[] {
  return refs.map((ref) => ({ ref, error: new StaticIpError('notFound', 'no such instance') }));
}

/** Answers every list read at once, and returns when each began. */
async function startsOfListsEvery(clock: ManualClock, world: ReturnType<typeof openWorld>, untilMs: number) {
  const enough = new AbortController();
  const poll = (async () => {
    while (!enough.signal.aborted) await world.provider.listAddresses(poolA, { signal: live });
  })();
  let answered = 0;
  while (clock.monotonic() < untilMs) {
    await clock.advance(10);
    for (; answered < world.lists.length; answered++) world.lists[answered]?.answer(listingOf());
  }
  enough.abort();
  await clock.advance(3_000);
  for (const read of world.lists) read.answer(listingOf());
  await poll;
  return world.lists.map(({ atMs }) => atMs).filter((atMs) => atMs < untilMs);
}

describe('coalesced listAddresses', () => {
  it('serves all callers of one turn with one read', async () => {
    const { clock, lists, provider } = openWorld();
    const found = listingOf(address('a', poolA.tags));
    const calls = Array.from({ length: 50 }, () => provider.listAddresses(poolA, { signal: live }));
    await clock.advance(0);
    expect(lists).toHaveLength(1);
    lists[0]?.answer(found);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, () => found));
  });

  it('never answers from a read that was in flight when the caller asked', async () => {
    const { clock, lists, provider } = openWorld();
    const first = provider.listAddresses(poolA, { signal: live });
    await clock.advance(0);
    const late = provider.listAddresses(poolA, { signal: live });
    const later = provider.listAddresses({ by: 'tags', tags: { tier: 'x', pool: 'a' } }, { signal: live });
    await clock.advance(1_000);
    expect(lists).toHaveLength(1);
    lists[0]?.answer(listingOf());
    expect((await first).addresses).toEqual([]);
    await clock.advance(0);
    expect(lists).toHaveLength(2);
    lists[1]?.answer(listingOf(address('a', poolA.tags)));
    expect((await late).addresses).toHaveLength(1);
    expect((await later).addresses).toHaveLength(1);
  });

  it('begins reads of a busy selection at growing pauses, and at once again after a quiet time', async () => {
    const world = openWorld();
    const { clock, lists } = world;
    expect(await startsOfListsEvery(clock, world, 6_000)).toEqual([0, 10, 260, 760, 1_760, 3_760, 5_760]);

    await clock.advance(10_000);
    const quietMs = clock.monotonic();
    void world.provider.listAddresses(poolA, { signal: live });
    await clock.advance(0);
    expect(lists.at(-1)?.atMs).toBe(quietMs);
  });

  it('keeps different selections apart', async () => {
    const { clock, lists, provider } = openWorld();
    const poolB: Selection = { by: 'tags', tags: { pool: 'b' } };
    void provider.listAddresses(poolA, { signal: live });
    void provider.listAddresses(poolB, { signal: live });
    await clock.advance(0);
    expect(lists.map(({ query }) => query)).toEqual([poolA, poolB]);
  });

  it('merges values of one tag key into batches and gives each caller its own addresses', async () => {
    const { clock, lists, provider } = openWorld({ maxBatch: 2 });
    const calls = ['u1', 'u2', 'u3'].map((uid) =>
      provider.listAddresses({ by: 'tagValues', key: 'uid', values: [uid] }, { signal: live }),
    );
    await clock.advance(0);
    expect(lists.map(({ query }) => query)).toEqual([
      { by: 'tagValues', key: 'uid', values: ['u1', 'u2'] },
      { by: 'tagValues', key: 'uid', values: ['u3'] },
    ]);
    lists[0]?.answer(listingOf(address('a', { uid: 'u2' }), address('b', { uid: 'u1' })));
    lists[1]?.answer(listingOf());
    const ids = (await Promise.all(calls)).map(({ addresses }) => addresses.map(({ id }) => id));
    expect(ids).toEqual([['b'], ['a'], []]);
  });

  it('gives an error of the read to all it serves, and reads again for the next caller', async () => {
    const { clock, lists, provider } = openWorld();
    const calls = [1, 2].map(() => provider.listAddresses(poolA, { signal: live }));
    const outcomes = Promise.allSettled(calls);
    await clock.advance(0);
    const error = new StaticIpError('denied', 'no');
    lists[0]?.fail(error);
    expect(await outcomes).toEqual([1, 2].map(() => ({ status: 'rejected', reason: error })));

    const again = provider.listAddresses(poolA, { signal: live });
    await clock.advance(0);
    lists[1]?.answer(listingOf());
    expect((await again).addresses).toEqual([]);
  });

  it('drops only the caller that aborts, and aborts the read when the last one has left', async () => {
    const { clock, lists, provider } = openWorld();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = provider.listAddresses(poolA, { signal: one.signal });
    const second = provider.listAddresses(poolA, { signal: two.signal });
    await clock.advance(0);
    const reason = new Error('shutting down');
    one.abort(reason);
    await expect(first).rejects.toBe(reason);
    expect(lists[0]?.signal.aborted).toBe(false);
    two.abort(reason);
    await expect(second).rejects.toBe(reason);
    expect(lists[0]?.signal.reason).toBe(reason);
  });

  it('reads nothing for callers that leave while a pause lasts, and serves the one that comes after them', async () => {
    const { clock, lists, provider } = openWorld();
    for (let read = 0; read < 2; read++) {
      const call = provider.listAddresses(poolA, { signal: live });
      await clock.advance(0);
      lists[read]?.answer(listingOf());
      await call;
    }
    const abort = new AbortController();
    const leaving = provider.listAddresses(poolA, { signal: abort.signal });
    await clock.advance(100);
    abort.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    await clock.advance(10);
    expect(clock.pending()).toBe(0);
    void provider.listAddresses(poolA, { signal: live });
    await clock.advance(139);
    expect(lists).toHaveLength(2);
    await clock.advance(1);
    expect(lists).toHaveLength(3);
  });

  it('B05: refuses an empty selection before anything is read', async () => {
    const { clock, lists, provider } = openWorld();
    await expect(provider.listAddresses({ by: 'tags', tags: {} }, { signal: live })).rejects.toMatchObject({
      code: 'invalid',
    });
    await clock.advance(0);
    expect(lists).toEqual([]);
  });
});

describe('coalesced resolveTargets', () => {
  it('asks once for equal targets of many callers and answers each in its own order', async () => {
    const { clock, resolves, provider } = openWorld();
    const one = provider.resolveTargets(instances('i-2', 'i-1'), { signal: live });
    const two = provider.resolveTargets(instances('i-1', 'i-3'), { signal: live });
    await clock.advance(0);
    expect(resolves.map(({ query }) => query)).toEqual([instances('i-2', 'i-1', 'i-3')]);
    resolves[0]?.answer(notFound(instances('i-3', 'i-2', 'i-1')));
    expect((await one).map(({ ref }) => ref)).toEqual(instances('i-2', 'i-1'));
    expect((await two).map(({ ref }) => ref)).toEqual(instances('i-1', 'i-3'));
  });

  it('splits a flood into batches that begin together', async () => {
    const { clock, resolves, provider } = openWorld();
    const ids = Array.from({ length: 500 }, (_, n) => `i-${n}`);
    const calls = ids.map((id) => provider.resolveTargets(instances(id), { signal: live }));
    await clock.advance(0);
    expect(resolves.map(({ query, atMs }) => [query.length, atMs])).toEqual([
      [200, 0],
      [200, 0],
      [100, 0],
    ]);
    for (const read of resolves) read.answer(notFound(read.query));
    expect(await Promise.all(calls)).toHaveLength(500);
  });

  it('B44: a read that hangs does not hold up the targets that come after it', async () => {
    const { clock, resolves, provider } = openWorld();
    void provider.resolveTargets(instances('i-hangs'), { signal: live });
    await clock.advance(0);
    const next = provider.resolveTargets(instances('i-1'), { signal: live });
    await clock.advance(0);
    expect(resolves).toHaveLength(2);
    resolves[1]?.answer(notFound(instances('i-1')));
    expect(await next).toHaveLength(1);
  });

  it('answers a target that the provider left out with an error, and no refs with no read', async () => {
    const { clock, resolves, provider } = openWorld();
    expect(await provider.resolveTargets([], { signal: live })).toEqual([]);
    const call = provider.resolveTargets(instances('i-1'), { signal: live });
    await clock.advance(0);
    resolves[0]?.answer([]);
    expect(await call).toMatchObject([{ ref: { instanceId: 'i-1' }, error: { code: 'internal' } }]);
    expect(resolves).toHaveLength(1);
  });

  it('lets an urgent caller begin soon, and takes along those who wait', async () => {
    const { clock, resolves, provider } = openWorld();
    const ask = (id: string, urgent = false): Promise<unknown> =>
      provider.resolveTargets(instances(id), { signal: live, urgent });
    for (const id of ['i-1', 'i-2', 'i-3']) {
      void ask(id);
      await clock.advance(20);
      resolves.at(-1)?.answer(notFound(instances(id)));
    }
    const [before, atMs] = [resolves.length, clock.monotonic()];
    const patient = ask('i-4');
    await clock.advance(0);
    expect(resolves).toHaveLength(before);
    const urgent = ask('i-5', true);
    await clock.advance(149);
    expect(resolves).toHaveLength(before + 1);
    const began = resolves.at(-1);
    expect(began).toMatchObject({ query: instances('i-4', 'i-5') });
    expect((began?.atMs ?? 0) - atMs).toBeLessThan(150);
    resolves.at(-1)?.answer(notFound(instances('i-4', 'i-5')));
    await Promise.all([patient, urgent]);
  });
});
