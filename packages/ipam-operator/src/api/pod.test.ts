import { describe, expect, it } from '@jest/globals';
import type { Pod } from './pod.ts';
import { PODS } from './pod.ts';

interface Parts {
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly podEni?: string;
}

function parse({ spec, status, podEni }: Parts): Pod {
  const annotations = podEni === undefined ? {} : { 'vpc.amazonaws.com/pod-eni': podEni };
  return PODS.parse({
    metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1', annotations },
    spec,
    status,
  });
}

describe('a pod', () => {
  it('is read with node, phase, host network, readiness gates and conditions', () => {
    const pod = parse({
      spec: { nodeName: 'n1', hostNetwork: true, readinessGates: [{ conditionType: 'eip.materialize.cloud/ready' }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
    });
    expect(pod).toMatchObject({
      nodeName: 'n1',
      phase: 'Running',
      hostNetwork: true,
      readinessGates: ['eip.materialize.cloud/ready'],
      conditions: [{ type: 'Ready', status: 'False' }],
    });
  });

  it('that is new has no node, no address and no gates', () => {
    expect(parse({ spec: {}, status: { phase: 'Pending' } })).toMatchObject({
      nodeName: undefined,
      podIp: undefined,
      podEni: undefined,
      hostNetwork: false,
      readinessGates: [],
      conditions: [],
    });
  });

  it('without a phase, or with one that Kubernetes does not have, is Unknown', () => {
    expect(parse({}).phase).toBe('Unknown');
    expect(parse({ status: { phase: 'Dreaming' } }).phase).toBe('Unknown');
  });

  it.each([
    ['its only one', { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] }, '10.0.0.1'],
    [
      'the second, where IPv6 is first',
      { podIP: 'fd00::1', podIPs: [{ ip: 'fd00::1' }, { ip: '10.0.0.1' }] },
      '10.0.0.1',
    ],
    ['podIP, where there is no list', { podIP: '10.0.0.1' }, '10.0.0.1'],
    ['none, with IPv6 alone', { podIP: 'fd00::1', podIPs: [{ ip: 'fd00::1' }] }, undefined],
    ['none, with text that is no address', { podIP: '10.0.0' }, undefined],
  ])('has as its IPv4 address %s', (_what, status, podIp) => {
    expect(parse({ status }).podIp).toBe(podIp);
  });
});

describe('the branch interface of a pod', () => {
  it('is the first of the annotation', () => {
    const podEni = JSON.stringify([
      {
        eniId: 'eni-0a1b',
        ifAddress: '02:00:00:00:00:01',
        privateIp: '10.0.0.1',
        vlanId: 1,
        subnetCidr: '10.0.0.0/24',
      },
      { eniId: 'eni-0c2d', privateIp: '10.0.0.2' },
    ]);
    expect(parse({ podEni }).podEni).toEqual({ eniId: 'eni-0a1b', privateIp: '10.0.0.1' });
  });

  it.each([
    ['no JSON', 'eni-0a1b', 'is not a JSON list'],
    ['no list', '{}', 'is not a JSON list'],
    ['an empty list', '[]', '[0].eniId'],
    ['no id of an interface', '[{"eniId":"i-0a1b","privateIp":"10.0.0.1"}]', '[0].eniId'],
    ['more than an id', String.raw`[{"eniId":"eni-0a1b\n","privateIp":"10.0.0.1"}]`, '[0].eniId'],
    ['no IPv4 address', '[{"eniId":"eni-0a1b","privateIp":"fd00::1"}]', '[0].privateIp'],
  ])('is a problem, and the pod is read all the same, when the annotation holds %s', (_what, podEni, problem) => {
    expect(parse({ podEni, spec: { nodeName: 'n1' } })).toMatchObject({
      nodeName: 'n1',
      podEni: { problem: expect.stringContaining(problem) },
    });
  });
});
