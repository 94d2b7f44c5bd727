import { describe, expect, it } from '@jest/globals';
import { createManualClock, createSeededRandom } from '@static-ip/testkit';
import type { JsonObject } from '../client/kube-client.ts';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors.ts';
import { isRawObject, memberOf, stringOf } from '../json/shape.ts';
import type { RawObject } from '../json/shape.ts';
import { createLeaseElection } from './lease-election.ts';
import type { ElectionOptions, LeaseElection } from './lease-election.ts';
import type { Fence } from './term.ts';

type LeaseClient = ElectionOptions['client'];

/** A server with at most one Lease, which it guards by resourceVersion and whose times it checks. */
function createLeaseServer() {
  let stored: { readonly version: number; readonly spec: RawObject } | undefined;
  const writes: RawObject[] = [];

  const raw = () => ({
    metadata: { name: 'l', namespace: 'n', uid: 'u', resourceVersion: String(stored?.version) },
    spec: stored?.spec,
  });
  const store = (version: number, change: unknown): void => {
    if (!isRawObject(change)) throw new KubeError('invalid', 'no spec');
    for (const field of ['acquireTime', 'renewTime']) {
      const time = change[field] ?? '2020-01-01T00:00:00.000000Z';
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(stringOf(time) ?? ''))
        throw new KubeError('invalid', 'no MicroTime');
    }
    writes.push(change);
    stored = { version, spec: { ...stored?.spec, ...change } };
  };

  const client: LeaseClient = {
    get: async (resource) => {
      if (stored === undefined) throw new KubeError('notFound', 'no Lease');
      return resource.parse(raw());
    },
    create: async (resource, body) => {
      if (stored !== undefined) throw new KubeError('alreadyExists', 'a Lease');
      store(1, body['spec']);
      return resource.parse(raw());
    },
    // oxlint-disable-next-line max-params -- the port's shape
    patch: async (resource, _ref, patch) => {
      if (stored === undefined) throw new KubeError('notFound', 'no Lease');
      if (memberOf(memberOf(patch.body, 'metadata'), 'resourceVersion') !== String(stored.version)) {
        throw new KubeError('conflict', 'another version');
      }
      store(stored.version + 1, memberOf(patch.body, 'spec'));
      return resource.parse(raw());
    },
  };
  return {
    client,
    writes,
    spec: () => stored?.spec ?? {},
    remove: () => {
      stored = undefined;
    },
  };
}

/** What happens to calls from now on. */
interface Link {
  fault?: 'unreachable' | 'loseReplies' | undefined;
}

interface Candidate {
  readonly election: LeaseElection;
  readonly fence: () => Fence | undefined;
  readonly log: string[];
  readonly stop: () => void;
  readonly ended: Promise<unknown>;
  readonly link: Link;
}

const manual = createManualClock;

function candidate(
  name: string,
  clock: Clock,
  client: LeaseClient,
  more: { durationMs?: number; linger?: number } = {},
): Candidate {
  const stop = new AbortController();
  const log: string[] = [];
  const link: Link = {};
  let fence: Fence | undefined;
  const pass = async <T>(call: () => Promise<T>): Promise<T> => {
    if (link.fault === 'unreachable') throw new KubeError('unavailable', 'cut off');
    const answer = await call();
    if (link.fault === 'loseReplies') throw new KubeError('timeout', 'the reply is lost');
    return answer;
  };
  const election = createLeaseElection({
    client: {
      get: (resource, ref, signal) => pass(() => client.get(resource, ref, signal)),
      create: (resource, body, signal) => pass(() => client.create(resource, body, signal)),
      // oxlint-disable-next-line max-params -- the port's shape
      patch: (resource, ref, patch, signal) => pass(() => client.patch(resource, ref, patch, signal)),
    },
    namespace: 'n',
    name: 'l',
    identity: name,
    clock,
    random: createSeededRandom(name.charCodeAt(0)),
    leaseDurationMs: more.durationMs,
    hooks: {
      onAcquired: () => log.push(`acquired@${Math.round(clock.monotonic())}`),
      onLost: (reason) => log.push(`lost@${Math.round(clock.monotonic())}: ${reason}`),
      onError: (error) => log.push(error instanceof KubeError ? error.code : String(error)),
    },
  });
  const lead = async (signal: AbortSignal, given: Fence): Promise<void> => {
    fence = given;
    await clock.sleep(Number.MAX_SAFE_INTEGER, signal).catch(() => undefined);
    if (more.linger !== undefined) await clock.sleep(more.linger, new AbortController().signal);
  };
  return {
    election,
    fence: () => fence,
    log,
    stop: () => stop.abort(new Error('SIGTERM')),
    ended: election.run(lead, stop.signal).then(
      () => 'resolved',
      (error: unknown) => error,
    ),
    link,
  };
}

const enters = (one: Candidate): boolean => {
  try {
    return one.fence()?.enter() !== undefined;
  } catch {
    return false;
  }
};

describe('leader election', () => {
  it('B56: takes a lease that does not exist at once, with times of six digits', async () => {
    const clock = manual({ startMs: 1_700_000_000_000 });
    const server = createLeaseServer();
    const a = candidate('a', clock, server.client);
    await clock.advance(0);
    expect(a.log).toEqual(['acquired@0']);
    expect(a.election.isLeading()).toBe(true);
    expect(server.spec()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2023-11-14T22:13:20.000000Z',
      renewTime: '2023-11-14T22:13:20.000000Z',
      leaseTransitions: 0,
    });
    a.stop();
    await clock.advance(0);
    expect(await a.ended).toBe('resolved');
  });

  it('B56: of three candidates one leads, for hours, whatever their wall clocks say', async () => {
    const clock = manual({ startMs: 1_700_000_000_000 });
    const server = createLeaseServer();
    const skewed = (ms: number): Clock => ({ ...clock, now: () => clock.now() + ms });
    const all = [
      candidate('a', clock, server.client),
      candidate('b', skewed(5 * 60_000), server.client),
      candidate('c', skewed(-5 * 60_000), server.client),
    ];
    for (let minute = 0; minute < 120; minute++) {
      await clock.advance(60_000);
      expect(all.filter(enters)).toHaveLength(1);
    }
    expect(all.flatMap(({ log }) => log)).toHaveLength(1);
    expect(all.map(({ election }) => election.holder())).toEqual(['a', 'a', 'a']);
    for (const one of all) one.stop();
    await clock.advance(5_000);
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(['resolved', 'resolved', 'resolved']);
  });

  it('B56: a released lease is taken over at once, and only after the work of its holder has ended', async () => {
    const clock = manual({ startMs: 0 });
    const server = createLeaseServer();
    const a = candidate('a', clock, server.client, { linger: 8_000 });
    await clock.advance(0);
    const b = candidate('b', clock, server.client);
    await clock.advance(30_000);
    a.stop();
    await clock.advance(7_900);
    expect([enters(a), enters(b)]).toEqual([true, false]);
    await clock.advance(1_500);
    expect([enters(a), enters(b)]).toEqual([false, true]);
    expect(await a.ended).toBe('resolved');
    expect(server.spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    b.stop();
    await clock.advance(100);
  });

  it('B56: a leader that is cut off stops before anybody else starts, and never both act', async () => {
    const clock = manual({ startMs: 0 });
    const server = createLeaseServer();
    const a = candidate('a', clock, server.client);
    await clock.advance(0);
    const b = candidate('b', clock, server.client);
    await clock.advance(20_000);
    a.link.fault = 'unreachable';
    let stoppedMs: number | undefined;
    let startedMs: number | undefined;
    for (let ms = 0; ms < 30_000; ms += 100) {
      await clock.advance(100);
      expect(enters(a) && enters(b)).toBe(false);
      if (!enters(a)) stoppedMs ??= ms;
      if (enters(b)) startedMs ??= ms;
    }
    expect(startedMs).toBeGreaterThan(stoppedMs ?? Infinity);
    // 80 % of the duration after the last renewal; the other waits for all of it.
    expect(stoppedMs).toBeLessThanOrEqual(12_000);
    expect(startedMs).toBeLessThanOrEqual(17_000);
    expect(await a.ended).toMatchObject({ code: 'notLeading', fields: { reason: 'it could not be renewed in time' } });
    b.stop();
    await clock.advance(100);
  });

  it('B56: a candidate waits for the duration that the holder promised, not for its own', async () => {
    const clock = manual({ startMs: 0 });
    const server = createLeaseServer();
    const a = candidate('a', clock, server.client, { durationMs: 60_000 });
    await clock.advance(0);
    const b = candidate('b', clock, server.client, { durationMs: 2_000 });
    await clock.advance(100_000);
    expect(a.log).toEqual(['acquired@0']);
    expect(b.log).toEqual([]);
    a.link.fault = 'unreachable';
    // The last renewal was at most 12 s ago.
    await clock.advance(47_000);
    expect(enters(b)).toBe(false);
    await clock.advance(15_000);
    expect(enters(b)).toBe(true);
    a.stop();
    b.stop();
    await clock.advance(100);
  });

  it('B56: a process that was stopped past its lease sends nothing when it goes on', async () => {
    const shared = manual({ startMs: 0 });
    const server = createLeaseServer();
    // A stopped process: its timers stand still, its monotonic clock does not.
    let stoppedFor = 0;
    const own = manual({ startMs: 0 });
    const a = candidate('a', { ...own, monotonic: () => own.monotonic() + stoppedFor }, server.client);
    await own.advance(4_000);
    expect(enters(a)).toBe(true);
    const b = candidate('b', shared, server.client);
    await shared.advance(18_000);
    expect(enters(b)).toBe(true);
    stoppedFor = 60_000;
    expect(() => a.fence()?.enter()).toThrow(expect.objectContaining({ code: 'notLeading' }));
    expect(a.election.isLeading()).toBe(false);
    await own.advance(10);
    expect(await a.ended).toMatchObject({ code: 'notLeading' });
    expect(server.spec()).toMatchObject({ holderIdentity: 'b' });
    b.stop();
    await shared.advance(100);
  });

  it('goes on leading when replies to renewals were lost', async () => {
    const clock = manual({ startMs: 0 });
    const server = createLeaseServer();
    const a = candidate('a', clock, server.client);
    await clock.advance(0);
    a.link.fault = 'loseReplies';
    await clock.advance(7_000);
    a.link.fault = undefined;
    await clock.advance(60_000);
    expect(enters(a)).toBe(true);
    expect(a.log.filter((one) => one.startsWith('lost'))).toEqual([]);
    a.stop();
    await clock.advance(100);
    expect(server.spec()).toMatchObject({ holderIdentity: null });
  });

  it.each([
    {
      what: 'deleted',
      act: (server: ReturnType<typeof createLeaseServer>) => server.remove(),
      reason: 'the Lease was deleted',
    },
    {
      what: 'taken by another',
      act: ({ client }: ReturnType<typeof createLeaseServer>) => void stealFrom(client),
      reason: 'another holder took it',
    },
  ])('stops when the Lease was $what', async ({ act, reason }) => {
    const clock = manual({ startMs: 0 });
    const server = createLeaseServer();
    const a = candidate('a', clock, server.client);
    await clock.advance(0);
    const signal = a.fence()?.enter();
    act(server);
    await clock.advance(3_500);
    expect(signal?.aborted).toBe(true);
    expect(await a.ended).toMatchObject({ code: 'notLeading', fields: { reason } });
  });

  it('refuses durations that a Lease cannot hold', () => {
    const server = createLeaseServer();
    const clock = manual({ startMs: 0 });
    for (const durationMs of [0, 500, 1_500, Number.NaN]) {
      expect(() => candidate('a', clock, server.client, { durationMs })).toThrow(RangeError);
    }
  });
});

async function stealFrom(client: LeaseClient): Promise<void> {
  const { signal } = new AbortController();
  const { leases } = await import('./lease.ts');
  const { metadata } = await client.get(leases, { name: 'l' }, signal);
  const body: JsonObject = {
    metadata: { resourceVersion: metadata.resourceVersion },
    spec: { holderIdentity: 'thief' },
  };
  await client.patch(leases, { name: 'l' }, { type: 'merge', body }, signal);
}
