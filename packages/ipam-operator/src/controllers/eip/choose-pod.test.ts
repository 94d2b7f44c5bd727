import { describe, expect, it } from '@jest/globals';
import { LABEL } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import { ago, node, pod, WALL } from '../../testing/objects.ts';
import { choosePod } from './choose-pod.ts';
import type { PodWorld } from './choose-pod.ts';

const NAMED = { kind: 'pod', podName: 'web' } as const;
const LABELLED = { kind: 'podLabels', labels: { app: 'web' } } as const;
const LABELS = { labels: { [LABEL.manage]: 'true', app: 'web' } };

const nodeOf = (name: string) => (name === 'n1' ? node('n1') : undefined);

function worldOf(pods: readonly Pod[], over: Partial<PodWorld> = {}): PodWorld {
  return { pods, nodeOf, occupied: new Set(), now: WALL, unreadyGraceMs: 60_000, ...over };
}

function chosen(pods: readonly Pod[], over: Partial<PodWorld> = {}): string {
  const choice = choosePod(LABELLED, worldOf(pods, over));
  return 'nobody' in choice ? `${choice.nobody.reason}: ${choice.nobody.message}` : choice.resourceId;
}

const unready = (sinceMs: number) =>
  ({ conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(sinceMs) }] }) as const;

describe('the target of a pod by name', () => {
  it('is its private address on the instance of its node', () => {
    const target = { kind: 'privateIp', privateIp: '10.0.0.7', instanceId: 'i-0000000000000000a' };
    expect(choosePod(NAMED, worldOf([pod('web')]))).toMatchObject({ resourceId: 'web', target });
  });

  it('is the node’s own on the host network', () => {
    const target = { kind: 'instance', instanceId: 'i-0000000000000000a' };
    expect(choosePod(NAMED, worldOf([pod('web', { hostNetwork: true })]))).toMatchObject({ target });
  });

  it('is the branch interface that the annotation names, where it agrees with the pod', () => {
    const podEni = { eniId: 'eni-0b', privateIp: '10.0.0.7' };
    const target = { kind: 'privateIp', privateIp: '10.0.0.7', interfaceId: 'eni-0b' };
    expect(choosePod(NAMED, worldOf([pod('web', { podEni })]))).toMatchObject({ target });
    const other = choosePod(NAMED, worldOf([pod('web', { podEni: { ...podEni, privateIp: '10.0.0.8' } })]));
    expect(other).toMatchObject({ target: { instanceId: 'i-0000000000000000a' } });
  });

  it.each([
    ['there is none', undefined, 'TargetMissing', 'There is no pod web'],
    ['it is unmanaged', pod('web', {}, { labels: {} }), 'TargetMissing', 'lacks the label'],
    ['it is going', pod('web', {}, { deletionTimestamp: ago(0) }), 'TargetMissing', 'is being deleted'],
    ['B39: it has succeeded', pod('web', { phase: 'Succeeded' }), 'TargetMissing', 'has finished (Succeeded)'],
    ['B39: it has failed', pod('web', { phase: 'Failed' }), 'TargetMissing', 'has finished (Failed)'],
    [
      'it runs on Fargate',
      pod('web', {}, { labels: { [LABEL.manage]: 'true', [LABEL.fargateProfile]: 'p' } }),
      'Unsupported',
      'Fargate',
    ],
    ['it is not scheduled', pod('web', { nodeName: undefined }), 'TargetMissing', 'not scheduled yet'],
    ['it has no IPv4 address', pod('web', { podIp: undefined }), 'TargetMissing', 'no IPv4 address'],
    ['its node is unknown', pod('web', { nodeName: 'n2' }), 'InstanceUnknown', 'Node n2 is not set yet'],
    ['its annotation is unreadable', pod('web', { podEni: { problem: 'no' } }), 'RequestInvalid', 'Pod web: no'],
  ])('is refused because %s', (_why, one, reason, message) => {
    const nobody = { reason, message: expect.stringContaining(message) };
    expect(choosePod(NAMED, worldOf(one === undefined ? [] : [one]))).toEqual({ nobody });
  });
});

describe('the choice among pods by labels', () => {
  it('takes the oldest that is ready, and one that is not rather than none', () => {
    const old = pod('z', unready(0), { ...LABELS, creationTimestamp: ago(900_000) });
    expect(chosen([old, pod('b', {}, LABELS), pod('a', {}, LABELS)])).toBe('a');
    expect(chosen([old])).toBe('z');
  });

  it('B34: keeps the holder: ready, unready within the grace time, or without a better one', () => {
    const better = pod('a', {}, LABELS);
    expect(chosen([better, pod('b', {}, LABELS)], { holder: 'b' })).toBe('b');
    expect(chosen([better, pod('b', unready(59_000), LABELS)], { holder: 'b' })).toBe('b');
    expect(chosen([better, pod('b', unready(60_000), LABELS)], { holder: 'b' })).toBe('a');
    expect(chosen([pod('a', unready(0), LABELS), pod('b', unready(60_000), LABELS)], { holder: 'b' })).toBe('b');
  });

  it('leaves the holder that finishes at once', () => {
    const finished = pod('b', { phase: 'Succeeded' }, LABELS);
    expect(chosen([pod('a', unready(0), LABELS), finished], { holder: 'b' })).toBe('a');
  });

  it('leaves out pods that have the address of another Eip', () => {
    const pods = [pod('a', {}, LABELS), pod('b', {}, LABELS)];
    expect(chosen(pods, { occupied: new Set(['a']) })).toBe('b');
    expect(chosen(pods, { occupied: new Set(['a', 'b']) })).toMatch(/Each of 2 pods .* another Eip/);
  });

  it('says why there is nobody', () => {
    expect(chosen([])).toBe('TargetMissing: No pod has the labels');
    expect(chosen([pod('a', { nodeName: undefined }, LABELS)])).toBe('TargetMissing: Pod a is not scheduled yet');
  });
});
