import { describe, expect, it } from '@jest/globals';
import type { EipFields } from '../schema/eip-fields.ts';
import type { Eip } from './eip.ts';
import { EIPS } from './eip.ts';

type Status = NonNullable<EipFields['status']>;

const METADATA = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' };

function parse(spec: unknown, status?: unknown): Eip {
  return EIPS.parse({ metadata: METADATA, spec, status });
}

describe('whose the address of an Eip shall be', () => {
  it('is the pod of spec.podName, as v1 says it', () => {
    expect(parse({ podName: 'web-0' }).selector).toEqual({ kind: 'pod', podName: 'web-0' });
  });

  it('is the pod of spec.selector.pod.podName, as v2 says it', () => {
    expect(parse({ selector: { pod: { podName: 'web-0' } } }).selector).toEqual({ kind: 'pod', podName: 'web-0' });
  });

  it('is one of the pods with the labels', () => {
    const labels = { app: 'web' };
    expect(parse({ selector: { pod: { labels } } }).selector).toEqual({ kind: 'podLabels', labels });
  });

  it('is one of the nodes with the labels', () => {
    const labels = { role: 'egress' };
    expect(parse({ selector: { node: { selector: labels } } }).selector).toEqual({ kind: 'node', labels });
  });

  it.each([
    ['no spec at all', undefined],
    ['a spec that lost its podName when k8s-eip-operator changed the stored version', {}],
    ['an empty podName', { podName: '' }],
    ['a selector without content', { selector: { pod: {} } }],
  ])('is nobody with %s, and the problem lists the choices', (_what, spec) => {
    expect(parse(spec).selector).toEqual({
      kind: 'invalid',
      problem: expect.stringMatching(/^set one of spec\.podName/),
    });
  });

  it.each([
    ['podName and selector', { podName: 'a', selector: { pod: { podName: 'a' } } }],
    ['pod and node', { selector: { pod: { podName: 'a' }, node: { selector: { a: 'b' } } } }],
    ['podName and labels', { selector: { pod: { podName: 'a', labels: { a: 'b' } } } }],
  ])('is nobody with both %s', (_what, spec) => {
    expect(parse(spec).selector).toEqual({ kind: 'invalid', problem: expect.stringMatching(/^set only one of/) });
  });

  it.each([
    ['spec.selector.pod.labels', { selector: { pod: { labels: {} } } }],
    ['spec.selector.node.selector', { selector: { node: { selector: {} } } }],
  ])('is nobody, rather than everybody, with an empty %s', (path, spec) => {
    expect(parse(spec).selector).toEqual({ kind: 'invalid', problem: expect.stringContaining(`${path} is empty`) });
  });
});

describe('an Eip', () => {
  it('is read with all that it says', () => {
    // Every field that the definition has, or this does not compile; podName and selector exclude each other.
    const spec: Required<Omit<EipFields['spec'], 'selector'>> = {
      podName: 'a',
      staticIpTags: { pool: 'x' },
      allocationId: 'eipalloc-1',
      publicIpv4Pool: 'ipv4pool-ec2-1',
      networkBorderGroup: 'us-west-2-lax-1',
      reclaimPolicy: 'Retain',
    };
    const condition: NonNullable<Status['conditions']>[number] = {
      type: 'Ready',
      status: 'True',
      reason: 'AddressAssigned',
      message: 'm',
      lastTransitionTime: 't',
    };
    const fields: Required<Omit<Status, 'conditions'>> = {
      allocationId: 'eipalloc-1',
      publicIpAddress: '198.51.100.1',
      eni: 'eni-1',
      privateIpAddress: '10.0.0.1',
      resourceId: 'a',
      associationId: 'eipassoc-1',
      observedGeneration: 3,
    };
    const { podName: _podName, ...rest } = spec;
    expect(parse(spec, { ...fields, conditions: [condition] })).toMatchObject({
      ...rest,
      status: { ...fields, conditions: [condition] },
    });
  });

  it.each([undefined, null, {}, { allocationId: null, publicIpAddress: '', conditions: null }])(
    'has an empty status where the object says %j',
    (status) => {
      const { conditions, ...fields } = parse({ podName: 'a' }, status).status;
      expect(conditions).toEqual([]);
      expect(Object.values(fields).filter((value) => value !== undefined)).toEqual([]);
    },
  );

  it.each([
    ['a tag that is no text', { staticIpTags: { pool: 1 } }, 'spec.staticIpTags.pool must be a string'],
    [
      'a label that is no text',
      { selector: { node: { selector: { a: true } } } },
      'spec.selector.node.selector.a must',
    ],
    ['a reclaim policy of another word', { reclaimPolicy: 'Recycle' }, 'spec.reclaimPolicy must be Delete or Retain'],
  ])('is refused with %s', (_what, spec, message) => {
    expect(() => parse(spec)).toThrow(message);
  });
});
