import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, node, startCluster } from '@static-ip/testkit';
import type { Cluster, KubeObject } from '@static-ip/testkit';
import { createKubeClient } from '../client/create-kube-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { systemClock } from '../clock/system-clock.ts';
import type { EventRecord } from './event-record.ts';
import { createEventRecorder } from './event-recorder.ts';

interface ServerEvent extends KubeObject {
  readonly note?: string;
  readonly series?: { readonly count: number };
}

let cluster: Cluster;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startCluster();
  client = createKubeClient({
    kubeconfig: cluster.kubeconfigPath,
    userAgent: 'kube-test/1',
    fieldManager: 'kube-test',
    clock: systemClock,
  });
}, 120_000);

afterAll(async () => {
  await client?.close();
  await cluster?.stop();
});

function start(repeatMs?: number) {
  const stop = new AbortController();
  const errors: unknown[] = [];
  const recorder = createEventRecorder({
    client,
    component: 'example.com/test',
    reportingInstance: 'pod-1',
    clock: systemClock,
    repeatMs,
    hooks: { onError: (error) => errors.push(error) },
  });
  const running = recorder.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { recorder, errors, end };
}

function about(name: string, more: Partial<EventRecord> = {}): EventRecord {
  return {
    regarding: { apiVersion: 'v1', kind: 'Node', name, uid: `uid-${name}` },
    type: 'Warning',
    reason: 'PoolExhausted',
    action: 'Assign',
    note: 'No free address matches.',
    ...more,
  };
}

async function eventsOf(name: string, namespace = 'default'): Promise<readonly ServerEvent[]> {
  const all = await cluster.api.list<ServerEvent>(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
  return all.filter((event) => event.metadata.name.startsWith(`${name}.`));
}

describe('event recorder against the real server', () => {
  it('writes one Event for many repetitions, whose count grows, also across a restart', async () => {
    const first = start(0);
    first.recorder.record(about('repeats'));
    await eventually(async () => (await eventsOf('repeats')).length === 1, { timeoutMs: 5_000 });
    for (let i = 0; i < 4; i++) first.recorder.record(about('repeats'));
    await first.end();
    const [before] = await eventsOf('repeats');
    expect(before?.series?.count).toBe(5);

    const second = start();
    second.recorder.record(about('repeats'));
    await second.end();
    const after = await eventsOf('repeats');
    expect(after.map((event) => event.series?.count)).toEqual([6]);
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  it('shows up where kubectl looks: by the object, in its namespace, or in default for a cluster-scoped one', async () => {
    await cluster.api.create(node({ name: 'shown' }));
    const { recorder, errors, end } = start();
    recorder.record(about('shown'));
    const regarding = { apiVersion: 'v1', kind: 'Pod', name: 'web', namespace: 'kube-system', uid: 'uid-web' };
    recorder.record(about('web', { regarding, type: 'Normal', reason: 'Assigned' }));
    await end();
    expect(errors).toEqual([]);
    const core = await cluster.api.list('/api/v1/namespaces/default/events', {
      fieldSelector: 'involvedObject.name=shown,reason=PoolExhausted',
    });
    expect(core).toEqual([
      expect.objectContaining({ message: 'No free address matches.', reportingComponent: 'example.com/test' }),
    ]);
    expect(await eventsOf('web', 'kube-system')).toHaveLength(1);
  });

  it('keeps different notes and reborn objects apart, and cuts a note to what the server takes', async () => {
    const { recorder, errors, end } = start();
    recorder.record(about('apart'));
    recorder.record(about('apart', { note: 'é'.repeat(2_000) }));
    recorder.record(about('apart', { regarding: { ...about('apart').regarding, uid: 'uid-of-the-next' } }));
    recorder.record(about('x'.repeat(253)));
    await end();
    expect(errors).toEqual([]);
    const written = await eventsOf('apart');
    expect(written).toHaveLength(3);
    expect(Math.max(...written.map(({ note = '' }) => Buffer.byteLength(note)))).toBeGreaterThan(1_000);
  });

  it('reports and drops what the server refuses for good, and goes on', async () => {
    const { recorder, errors, end } = start();
    recorder.record(about('refused', { reason: '' }));
    recorder.record(about('accepted'));
    await end();
    expect(errors).toEqual([expect.objectContaining({ code: 'invalid' })]);
    expect(await eventsOf('accepted')).toHaveLength(1);
  });
});
