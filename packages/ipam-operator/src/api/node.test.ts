import { describe, expect, it } from '@jest/globals';
import type { Node } from './node.ts';
import { NODES } from './node.ts';

function parse(parts: { readonly spec?: unknown; readonly status?: unknown }): Node {
  return NODES.parse({ metadata: { name: 'n1', uid: 'u', resourceVersion: '1' }, ...parts });
}

describe('a node', () => {
  it('is read with provider id, readiness, cordon and taints', () => {
    const taint = { key: 'eip.materialize.cloud/address-pending', effect: 'NoSchedule' };
    expect(
      parse({
        spec: { providerID: 'aws:///us-east-1a/i-1', unschedulable: true, taints: [taint, { effect: 'NoSchedule' }] },
        status: {
          conditions: [
            { type: 'MemoryPressure', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
            { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z' },
          ],
        },
      }),
    ).toMatchObject({
      providerId: 'aws:///us-east-1a/i-1',
      ready: { status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z' },
      unschedulable: true,
      taints: [taint],
    });
  });

  it('whose kubelet has not reported yet is neither ready nor unready', () => {
    expect(parse({ status: {} }).ready).toBeUndefined();
  });

  it('whose readiness is a word that Kubernetes does not have counts as Unknown', () => {
    expect(parse({ status: { conditions: [{ type: 'Ready', status: 'Maybe' }] } }).ready?.status).toBe('Unknown');
  });
});
