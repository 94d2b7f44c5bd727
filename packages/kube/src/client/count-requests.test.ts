import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { KubeError } from '../errors.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import { parseMetadata } from '../objects/parse-metadata.ts';
import type { KubeClient, WatchEvent } from './kube-client.ts';
import { countRequests } from './count-requests.ts';

const NODES: Resource = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  parse: (raw) => ({ metadata: parseMetadata(raw) }),
};

const unexpected = () => Promise.reject(new Error('not expected'));

function setUp(parts: Partial<KubeClient>) {
  const clock = createManualClock({ startMs: 0 });
  const client: KubeClient = {
    list: unexpected,
    get: unexpected,
    create: unexpected,
    patch: unexpected,
    delete: unexpected,
    isServed: unexpected,
    watch: () => {
      throw new Error('not expected');
    },
    close: unexpected,
    ...parts,
  };
  const seen: object[] = [];
  const counted = countRequests(client, { metrics: { kubeRequest: (request) => seen.push(request) }, clock });
  return { clock, counted, seen };
}

const { signal } = new AbortController();

async function* events<T extends KubeObject>(): AsyncIterable<WatchEvent<T>> {
  yield { type: 'bookmark', resourceVersion: '1' };
  throw new KubeError('gone', 'watching');
}

describe('counting requests', () => {
  it('times an answer and passes it on', async () => {
    const { clock, counted, seen } = setUp({ isServed: () => clock.sleep(40, signal).then(() => true) });
    const answer = counted.isServed(NODES, signal);
    await clock.advance(40);
    expect(await answer).toBe(true);
    expect(seen).toEqual([{ verb: 'discover', resource: 'nodes', code: 'ok', durationMs: 40 }]);
  });

  it('counts a failure by its code, an abort as such, and passes both on', async () => {
    const failures = [new KubeError('conflict', 'patching'), new Error('stopped')];
    const { counted, seen } = setUp({ get: () => Promise.reject(failures[seen.length]) });
    await expect(counted.get(NODES, { name: 'a' }, signal)).rejects.toBe(failures[0]);
    await expect(counted.get(NODES, { name: 'a' }, signal)).rejects.toBe(failures[1]);
    expect(seen).toMatchObject([{ code: 'conflict' }, { code: 'aborted' }]);
  });

  it('counts a watch when its reader leaves, and when the stream breaks', async () => {
    const { counted, seen } = setUp({ watch: events });
    const options = { resourceVersion: '0', timeoutSeconds: 1, allowBookmarks: true };
    for await (const event of counted.watch(NODES, options, signal)) {
      expect(event).toEqual({ type: 'bookmark', resourceVersion: '1' });
      expect(seen).toEqual([]);
      break;
    }
    const readAll = async (): Promise<void> => {
      for await (const event of counted.watch(NODES, options, signal)) expect(event.type).toBe('bookmark');
    };
    await expect(readAll()).rejects.toMatchObject({ code: 'gone' });
    expect(seen).toEqual([
      { verb: 'watch', resource: 'nodes', code: 'ok' },
      { verb: 'watch', resource: 'nodes', code: 'gone' },
    ]);
  });
});
