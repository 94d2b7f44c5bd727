import { describe, expect, it } from '@jest/globals';
import type { Address } from '../../ec2/core/model.ts';
import { createEmulator } from '../../ec2/emulator.ts';
import { ALLOCATION_ID, EXTERNAL_DNS, judgePods } from './judge-pods.ts';
import type { EipObject, PodEvidence } from './judge-pods.ts';
import type { BenchPod } from './pod-places.ts';

const NAMES = ['web-0', 'web-1'];

/** Two pods with an address each, and nothing wrong. */
function twoPods(): PodEvidence & { readonly addresses: readonly Address[] } {
  const emulator = createEmulator();
  const ips = ['10.0.128.0', '10.0.128.1'];
  const [, second] = emulator.addInstance({ interfaces: [{}, { secondaryIps: ips }] }).interfaces;
  const interfaceId = second?.id ?? '';
  const pods = NAMES.map((name, index) => ({ name, node: 'n1', privateIp: ips[index] ?? '', interfaceId }));
  for (const { name, privateIp } of pods) {
    const { allocationId } = emulator.addAddress({ tags: { 'eip.materialize.cloud/eip_uid': `uid-${name}` } });
    emulator.associate({ allocationId, interfaceId, privateIp });
  }
  const { addresses } = emulator.snapshot();
  const of = (pod: BenchPod): Address | undefined =>
    addresses.find((one) => one.association?.privateIp === pod.privateIp);
  return {
    pods,
    addresses,
    podObjects: new Map(pods.map((pod) => [pod.name, podObject(pod.name, of(pod))])),
    eips: new Map(pods.map((pod) => [pod.name, eipObject(pod, of(pod))])),
  };
}

function podObject(name: string, address: Address | undefined) {
  const annotations = { [EXTERNAL_DNS]: address?.publicIp ?? '', [ALLOCATION_ID]: address?.allocationId ?? '' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, annotations } };
}

function eipObject({ name, privateIp, interfaceId }: BenchPod, address: Address | undefined): EipObject {
  const { allocationId = '', publicIp = '' } = address ?? {};
  const status = { allocationId, publicIpAddress: publicIp, privateIpAddress: privateIp, eni: interfaceId };
  const metadata = { name, uid: `uid-${name}` };
  return { apiVersion: 'materialize.cloud/v2', kind: 'Eip', metadata, status: { ...status, resourceId: name } };
}

describe('judgement of pods', () => {
  it('is right when each shows the address of its own Eip on its own private address', () => {
    const { right, wrong } = judgePods(twoPods());
    expect(wrong).toEqual([]);
    expect(right.map(({ name }) => name)).toEqual(NAMES);
  });

  it('finds a pod without annotations', () => {
    const world = twoPods();
    const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1' } };
    const podObjects = new Map([...world.podObjects, ['web-1', bare]]);
    expect(judgePods({ ...world, podObjects }).wrong).toEqual(['web-1 lacks an annotation']);
  });

  it('finds an address on another private one', () => {
    const world = twoPods();
    const pods = world.pods.map((pod) => ({ ...pod, privateIp: pod.name === 'web-1' ? '10.0.129.9' : pod.privateIp }));
    expect(judgePods({ ...world, pods }).wrong).toEqual([
      expect.stringMatching(/^web-1 shows .*, which is on 10\.0\.128\.1$/),
    ]);
  });

  it('finds two pods that show the same address', () => {
    const world = twoPods();
    const first = world.podObjects.get('web-0');
    if (first === undefined) throw new Error('the world is incomplete');
    const podObjects = new Map([...world.podObjects, ['web-1', first]]);
    expect(judgePods({ ...world, podObjects }).wrong).toEqual([expect.stringMatching(/as another pod does$/)]);
  });

  it('finds an address of another Eip, and a status that says something else', () => {
    const world = twoPods();
    const [first, second] = [...world.eips.values()];
    if (first === undefined || second === undefined) throw new Error('the world is incomplete');
    const stranger = { ...first, metadata: { ...first.metadata, uid: 'another' } };
    const behind = { ...second, status: { ...second.status, eni: 'eni-0' } };
    const eips = new Map<string, EipObject>([
      ['web-0', stranger],
      ['web-1', behind],
    ]);
    expect(judgePods({ ...world, eips }).wrong).toEqual([
      expect.stringMatching(/^web-0 .* was not made for its Eip$/),
      expect.stringMatching(/^web-1 has an Eip whose status does not say eni eni-/),
    ]);
  });

  it('finds a pod that came back to another address than it had', () => {
    const world = twoPods();
    const kept = new Map([['web-0', 'eipalloc-0']]);
    expect(judgePods({ ...world, kept }).wrong).toEqual([
      expect.stringMatching(/^web-0 shows .*, and had eipalloc-0$/),
    ]);
  });
});
