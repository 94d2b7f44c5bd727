import { describe, expect, it } from '@jest/globals';
import { addressHolders, AGENT_PODS } from './agent-pod.ts';
import { agentPod } from './agent-pod.test.fixture.ts';

const holders = (...pods: Parameters<typeof addressHolders>[0]) => addressHolders(pods, 'node-1');

describe('pods that hold an address', () => {
  it('are those of this node with the annotation, in numeric order', () => {
    expect(holders(agentPod('10.0.0.30'), agentPod('10.0.0.4'), agentPod('10.0.0.5', { holds: false }))).toEqual([
      '10.0.0.4',
      '10.0.0.30',
    ]);
  });

  it.each([
    { name: 'of another node', pod: agentPod('10.0.0.4', { nodeName: 'node-2' }) },
    { name: 'on the host’s network', pod: agentPod('10.0.0.4', { hostNetwork: true }) },
    { name: 'finished', pod: agentPod('10.0.0.4', { finished: true }) },
    { name: 'without an IPv4 address', pod: agentPod('10.0.0.4', { ipv4: undefined }) },
  ])('are none that is $name', ({ pod }) => {
    expect(holders(pod)).toEqual([]);
  });

  it('B64: of two pods with one address the younger one owns it', () => {
    const old = agentPod('10.0.0.4', { createdAt: '2026-01-01T00:00:00Z' });
    const young = agentPod('10.0.0.4', { createdAt: '2026-01-01T00:00:01Z', holds: false });
    const same = agentPod('10.0.0.4', { createdAt: '2026-01-01T00:00:00Z', holds: false });
    for (const other of [young, same]) {
      expect(holders(old, other)).toEqual([]);
      expect(holders(other, old)).toEqual([]);
    }
  });

  it('are read from the API’s objects, of which only what is needed is kept', () => {
    const metadata = {
      name: 'web',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'web' },
      annotations: { 'eip.materialize.cloud/allocation_id': 'eipalloc-1', other: 'x'.repeat(1_000) },
    };
    const spec = { nodeName: 'node-1', containers: [] };
    const parse = (status: object, more: object = {}) =>
      AGENT_PODS.parse({ metadata, spec: { ...spec, ...more }, status });
    const pod = parse({ phase: 'Running', podIPs: [{ ip: 'fd00::1' }, { ip: '10.0.0.4' }], podIP: 'fd00::1' });
    expect(holders(pod)).toEqual(['10.0.0.4']);
    expect(JSON.stringify(pod)).not.toMatch(/other|"app"/);
    expect(parse({ podIP: '10.0.0.4' }).ipv4).toBe('10.0.0.4');
    expect(parse({}).ipv4).toBeUndefined();
    expect(parse({ phase: 'Succeeded' }).finished).toBe(true);
    expect(parse({ phase: 'Failed' }).finished).toBe(true);
    expect(parse({}, { hostNetwork: true }).hostNetwork).toBe(true);
  });
});
