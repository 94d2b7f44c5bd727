import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@static-ip/kube';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import { tendEgressVerified } from './egress-verified.ts';

const { signal } = new AbortController();
const AT = '2026-01-01T00:00:00Z';
const READY = { type: 'Ready', status: 'True', reason: 'AddressAssigned', lastTransitionTime: AT };
const SEEN = { status: 'True', reason: 'SourcesKept', message: 'leaves as 203.0.113.7', lastTransitionTime: AT };

function eip(...conditions: readonly object[]): Eip {
  const metadata = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '5', generation: 3 };
  return EIPS.parse({ metadata, spec: { selector: { pod: { podName: 'web-0' } } }, status: { conditions } });
}

function pod(...conditions: readonly object[]): Pod {
  const metadata = { name: 'web-0', namespace: 'default', uid: 'p', resourceVersion: '1' };
  return PODS.parse({ metadata, spec: {}, status: { conditions } });
}

async function changeOf(holder: Eip, owner: Pod): Promise<JsonObject | undefined> {
  const changes: JsonObject[] = [];
  const writer = {
    status: (_eip: Eip, change: JsonObject) => {
      changes.push(change);
      return Promise.resolve(undefined);
    },
  };
  await tendEgressVerified({ pod: owner, holder, writer }, signal);
  return changes[0];
}

describe('EgressVerified on an Eip', () => {
  it('says what the agent says of the pod, and leaves the other conditions as they are', async () => {
    const change = await changeOf(eip(READY), pod({ type: 'eip.materialize.cloud/egress-verified', ...SEEN }));
    expect(change).toEqual({
      conditions: [expect.objectContaining(READY), { type: 'EgressVerified', ...SEEN, observedGeneration: 3 }],
    });
  });

  it('costs no write while both agree', async () => {
    const holder = eip(READY, { type: 'EgressVerified', ...SEEN });
    expect(await changeOf(holder, pod({ type: 'eip.materialize.cloud/egress-verified', ...SEEN }))).toBeUndefined();
    expect(await changeOf(eip(READY), pod())).toBeUndefined();
  });

  it('goes when the pod has no such condition any more', async () => {
    const holder = eip(READY, { type: 'EgressVerified', ...SEEN });
    expect(await changeOf(holder, pod())).toEqual({ conditions: [expect.objectContaining(READY)] });
  });
});
