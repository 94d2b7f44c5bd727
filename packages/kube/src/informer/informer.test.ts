import { describe, expect, it } from '@jest/globals';
import { createManualClock, createSeededRandom } from '@static-ip/testkit';
import type { ManualClock } from '@static-ip/testkit';
import type { KubeClient, ListPage, WatchEvent } from '../client/kube-client.ts';
import { KubeError } from '../errors.ts';
import type { KubeErrorCode } from '../errors.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import { createInformer } from './informer.ts';
import type { Informer } from './informer.ts';

const things: Resource = {
  group: '',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: false,
  // The fake server hands out whole objects.
  parse: (raw) => {
    if (!isThing(raw)) throw new Error('not a thing');
    return raw;
  },
};

function isThing(raw: unknown): raw is KubeObject {
  return typeof raw === 'object' && raw !== null && 'metadata' in raw;
}

function thing(name: string, resourceVersion = '1', uid = `uid-${name}`): KubeObject {
  const none = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
  return { metadata: { name, uid, resourceVersion, ...none } };
}

type Answer<T> = T | KubeError;

/** A server that follows a script; the last answer of a script repeats. A watch answer is its events, then its end. */
interface Script {
  readonly lists: readonly Answer<Partial<ListPage<KubeObject>>>[];
  readonly watches: readonly Answer<readonly WatchEvent<KubeObject>[] | 'open'>[];
}

interface World {
  readonly clock: ManualClock;
  readonly informer: Informer<KubeObject>;
  readonly calls: { lists: number; watches: number; openWatches: number; mostOpenWatches: number };
  readonly versions: string[];
  readonly changes: string[];
  readonly errors: string[];
  stop(): Promise<void>;
}

function start(script: Script): World {
  const clock = createManualClock({ startMs: 0 });
  const calls = { lists: 0, watches: 0, openWatches: 0, mostOpenWatches: 0 };
  const versions: string[] = [];
  const changes: string[] = [];
  const errors: string[] = [];
  const end = new AbortController();
  const client: Pick<KubeClient, 'list' | 'watch'> = {
    list: async (resource) => {
      const answer = script.lists[Math.min(calls.lists++, script.lists.length - 1)];
      if (answer instanceof KubeError || answer === undefined) throw answer ?? new Error('no script');
      const items = (answer.items ?? []).map((item) => resource.parse(item));
      return { rejected: [], resourceVersion: '1', ...answer, items };
    },
    watch: async function* (resource, { resourceVersion }, signal) {
      versions.push(resourceVersion);
      const answer = script.watches[Math.min(calls.watches++, script.watches.length - 1)];
      calls.openWatches += 1;
      calls.mostOpenWatches = Math.max(calls.mostOpenWatches, calls.openWatches);
      try {
        if (answer instanceof KubeError || answer === undefined) throw answer ?? new Error('no script');
        if (answer === 'open') await clock.sleep(Number.MAX_SAFE_INTEGER, signal);
        else
          for (const event of answer)
            yield 'object' in event ? { ...event, object: resource.parse(event.object) } : event;
      } finally {
        calls.openWatches -= 1;
      }
    },
  };
  const informer = createInformer({
    client,
    resource: things,
    clock,
    random: createSeededRandom(1),
    hooks: { onError: (error, { phase }) => errors.push(`${phase} ${error instanceof KubeError ? error.code : ''}`) },
  });
  informer.subscribe((key, before, after) => {
    changes.push(`${key} ${before?.metadata.resourceVersion ?? '-'}>${after?.metadata.resourceVersion ?? '-'}`);
  });
  const running = informer.run(end.signal);
  const stop = async (): Promise<void> => {
    end.abort();
    await running;
  };
  return { clock, informer, calls, versions, changes, errors, stop };
}

const failure = (code: KubeErrorCode) => new KubeError(code, 'scripted');
const MINUTES_30 = 30 * 60_000;

describe('informer in virtual time', () => {
  it.each([
    { name: 'refused connections', script: { lists: [failure('unavailable')], watches: [] } },
    { name: 'forbidden lists', script: { lists: [failure('forbidden')], watches: [] } },
    { name: 'watches that are reset at once', script: { lists: [{}], watches: [failure('unavailable')] } },
    { name: 'watches that end well at once', script: { lists: [{}], watches: [[]] } },
    { name: 'a version that is always gone', script: { lists: [{}], watches: [failure('gone')] } },
    { name: 'streams that are always garbled', script: { lists: [{}], watches: [failure('protocol')] } },
  ] satisfies readonly { readonly name: string; readonly script: Script }[])(
    'B50: half an hour of $name costs far less than a request per second and never two watches',
    async ({ script }) => {
      const world = start(script);
      await world.clock.advance(MINUTES_30);
      const requests = world.calls.lists + world.calls.watches;
      expect(requests).toBeGreaterThan(50);
      // A list and a watch in each pause of about 30 s, and the few shorter pauses of the beginning.
      expect(requests).toBeLessThan(170);
      expect(world.calls.mostOpenWatches).toBeLessThanOrEqual(1);
      await world.stop();
      expect(world.calls.openWatches).toBe(0);
    },
  );

  it('B49: goes on from the last version seen after a cut, and lists anew only when that version is gone', async () => {
    const bookmark = { type: 'bookmark', resourceVersion: '7' } as const;
    const world = start({
      lists: [{ resourceVersion: '5' }, { resourceVersion: '9' }],
      watches: [[bookmark], failure('unavailable'), failure('gone'), 'open'],
    });
    await world.clock.advance(60_000);
    expect(world.versions).toEqual(['5', '7', '7', '9']);
    expect(world.calls.lists).toBe(2);
    await world.stop();
  });

  it('B49: what vanished while blind becomes a removal, and a reborn object one change with two uids', async () => {
    const seen: string[] = [];
    const world = start({
      lists: [
        { items: [thing('gone'), thing('reborn'), thing('same')] },
        { items: [thing('reborn', '8', 'uid-2'), thing('same')] },
      ],
      watches: [failure('gone'), 'open'],
    });
    world.informer.subscribe((key, before, after) =>
      seen.push(`${key} ${before?.metadata.uid}>${after?.metadata.uid}`),
    );
    await world.clock.advance(5_000);
    expect(seen.slice(3)).toEqual(['reborn uid-reborn>uid-2', 'gone uid-gone>undefined']);
    expect(world.changes).toHaveLength(5);
    await world.stop();
  });

  it('B57: a list that fails never empties the store', async () => {
    const world = start({
      lists: [{ items: [thing('kept')] }, failure('unauthorized')],
      watches: [failure('gone')],
    });
    await world.clock.advance(10 * 60_000);
    expect(world.informer.store.size).toBe(1);
    expect(world.errors).toContain('list unauthorized');
    expect(world.changes).toEqual(['kept ->1']);
    await world.stop();
  });

  it('keeps what it knows of an object that can no longer be read, and drops it when that is deleted', async () => {
    const error = new Error('a field has another type now');
    const rejected = (removed: boolean) =>
      ({ type: 'rejected', key: 'odd', removed, error, resourceVersion: '3' }) as const;
    const world = start({
      lists: [{ items: [thing('odd')] }, { items: [], rejected: [{ key: 'odd', error }] }],
      watches: [[rejected(false)], failure('gone'), [rejected(true)], 'open'],
    });
    await world.clock.advance(1_000);
    expect(world.informer.store.get('odd')).toBeDefined();
    await world.clock.advance(60_000);
    expect(world.errors.filter((one) => one.startsWith('parse'))).toHaveLength(2);
    expect(world.informer.store.get('odd')).toBeUndefined();
    await world.stop();
  });

  it('B48: a silent watch is given up at the idle deadline', async () => {
    const world = start({ lists: [{}], watches: ['open'] });
    await world.clock.advance(89_999);
    expect(world.calls.watches).toBe(1);
    await world.clock.advance(2_000);
    expect(world.calls.watches).toBe(2);
    expect(world.errors).toEqual(['watch timeout']);
    await world.stop();
  });

  it('is synced after the first complete list only, and stops waiting with the signal', async () => {
    const world = start({
      lists: [{ items: [thing('a')], continue: 'more' }, { items: [thing('b')] }],
      watches: ['open'],
    });
    const given = new AbortController();
    const fresh = start({ lists: [failure('unavailable')], watches: [] });
    const waiting = fresh.informer.whenSynced(given.signal);
    given.abort(new Error('not today'));
    await expect(waiting).rejects.toThrow('not today');
    expect(fresh.informer.isSynced()).toBe(false);
    await fresh.stop();

    await world.clock.advance(0);
    await world.informer.whenSynced(new AbortController().signal);
    expect(world.informer.store.keys()).toEqual(['a', 'b']);
    await world.stop();
  });
});
