import { describe, expect, it } from '@jest/globals';
import type { KubeClient } from '@static-ip/kube';
import { createManualClock, createSeededRandom } from '@static-ip/testkit';
import { OPERATOR_OPTIONS } from '../app/options/compile-options.ts';
import { createChronicle } from '../testing/simulation/chronicle.ts';
import { createSimulatedCloud, FAIR } from '../testing/simulation/cloud.ts';
import { planClaims } from './plan-claims.ts';

const OPTIONS = OPERATOR_OPTIONS.compile({ list: OPERATOR_OPTIONS.all, flags: {}, environment: {}, mistakes: [] });

/** An API server with these CiliumNodes, as JSON, and no Nodes. */
function serverOf(ciliumNodes: readonly unknown[]): Pick<KubeClient, 'list' | 'isServed' | 'get'> {
  return {
    get: ({ kind }) => Promise.reject(new Error(`nobody reads a ${kind} here`)),
    isServed: ({ kind }) => Promise.resolve(kind === 'CiliumNode'),
    list: (resource) => {
      const raw = resource.kind === 'CiliumNode' ? ciliumNodes : [];
      return Promise.resolve({ items: raw.map((one) => resource.parse(one)), rejected: [], resourceVersion: '1' });
    },
  };
}

function onSkipped(source: string): never {
  throw new Error(`${source} was left out`);
}

describe('a plan', () => {
  it('ends, with one read of each thing, where the cloud takes longer to answer than a read may be old', async () => {
    const clock = createManualClock({ startMs: Date.UTC(2026, 0, 1) });
    const chronicle = createChronicle(clock);
    const cloud = createSimulatedCloud({ clock, random: createSeededRandom(1), chronicle });
    cloud.weather = { ...FAIR, latencyMs: 4_000, steady: true };
    cloud.addInstance('i-1');
    const ciliumNode = {
      metadata: { name: 'n1', uid: 'u1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { 'instance-id': 'i-1', ipam: { 'static-ip-tags': { pool: 'a' } } },
      status: { ipam: { 'assigned-static-ip': '198.51.100.9' } },
    };
    const { signal } = new AbortController();
    const deps = {
      options: OPTIONS,
      kube: serverOf([ciliumNode]),
      provider: cloud.connect({ isDead: false }),
      clock,
      onSkipped,
    };
    const planning = planClaims(deps, signal);
    await clock.advance(60_000);
    const result = await Promise.race([planning, Promise.resolve('still reading')]);
    expect(result).toMatchObject([{ name: 'n1', action: 'none', reason: 'NoAddressMatches' }]);
    expect(cloud.calls).toMatchObject({ list: 1, resolve: 1 });
  });
});
