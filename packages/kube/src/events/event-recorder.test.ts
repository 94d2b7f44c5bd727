import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import type { JsonObject } from '../client/kube-client.ts';
import { KubeError } from '../errors.ts';
import { memberOf, stringOf } from '../json/shape.ts';
import { createEventRecorder } from './event-recorder.ts';
import type { EventRecorderOptions } from './event-recorder.ts';

function setUp(create: (body: JsonObject) => Promise<void>, options: Partial<EventRecorderOptions> = {}) {
  const clock = createManualClock({ startMs: 0 });
  const stop = new AbortController();
  const notes: string[] = [];
  const dropped: string[] = [];
  const recorder = createEventRecorder({
    client: {
      create: async (resource, body) => {
        await create(body);
        notes.push(stringOf(memberOf(body, 'note')) ?? '');
        return resource.parse({ metadata: { name: 'e', uid: 'u', resourceVersion: '1' } });
      },
      get: () => Promise.reject(new Error('not called')),
      patch: () => Promise.reject(new Error('not called')),
    },
    component: 'c',
    reportingInstance: 'i',
    clock,
    hooks: { onDropped: ({ note }) => dropped.push(note) },
    ...options,
  });
  const record = (note: string): void => {
    const regarding = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
    recorder.record({ regarding, type: 'Normal', reason: 'Reason', action: 'Act', note });
  };
  return { clock, stop, notes, dropped, record, run: () => recorder.run(stop.signal) };
}

describe('event recorder', () => {
  it('never blocks its caller: what is too much is dropped, the oldest first, and the rate is bounded', async () => {
    const { clock, stop, notes, dropped, record, run } = setUp(async () => undefined, {
      maxPending: 10,
      rate: { perSecond: 2, burst: 3 },
    });
    for (let i = 0; i < 15; i++) record(`note ${i}`);
    expect(dropped).toEqual(['note 0', 'note 1', 'note 2', 'note 3', 'note 4']);
    const running = run();
    await clock.advance(0);
    expect(notes).toHaveLength(3);
    await clock.advance(2_000);
    expect(notes).toHaveLength(7);
    stop.abort();
    await running;
    expect(notes).toHaveLength(10);
  });

  it('writes a repetition every five minutes at most, and counts those in between', async () => {
    const bodies: JsonObject[] = [];
    const { clock, stop, record, run } = setUp(async (body) => void bodies.push(body));
    const running = run();
    for (let minute = 0; minute < 11; minute++) {
      record('same');
      await clock.advance(60_000);
    }
    stop.abort();
    await running;
    expect(bodies.map((body) => memberOf(body['series'], 'count') ?? 1)).toEqual([1, 5, 5]);
  });

  it('tries again when the server was unavailable, and gives up waiting for it soon after a stop', async () => {
    let failures = 3;
    const { clock, stop, notes, record, run } = setUp(async () => {
      if (failures-- > 0) throw new KubeError('unavailable', 'scripted');
    });
    record('kept');
    const running = run();
    await clock.advance(10_000);
    expect(notes).toEqual(['kept']);

    failures = Infinity;
    record('lost');
    stop.abort();
    await clock.advance(1_000);
    await running;
    expect(notes).toEqual(['kept']);
    expect(clock.pending()).toBe(0);
  });
});
