import { describe, expect, it } from '@jest/globals';
import { createManualClock, createSeededRandom } from '@static-ip/testkit';
import type { ManualClock } from '@static-ip/testkit';
import { createChronicle } from '../../testing/simulation/chronicle.ts';
import { createSimulatedCloud, FAIR } from '../../testing/simulation/cloud.ts';
import type { SimulatedCloud } from '../../testing/simulation/cloud.ts';
import { createSimulatedCluster } from '../../testing/simulation/cluster.ts';
import type { SimulatedCluster } from '../../testing/simulation/cluster.ts';
import { startSimulatedOperator } from '../../testing/simulation/operator.ts';

interface Stage {
  readonly clock: ManualClock;
  readonly cloud: SimulatedCloud;
  readonly cluster: SimulatedCluster;
  /** A CiliumNode that asks for an address of pool a, on an instance of its own. */
  readonly join: (n: number) => void;
  readonly assigned: () => number;
  readonly violations: readonly string[];
}

/** The real engine and node flow on virtual time, in a world without trouble but what a test brings. */
function raise(): Stage {
  const clock = createManualClock({ startMs: Date.UTC(2026, 0, 1) });
  const random = createSeededRandom(1);
  const chronicle = createChronicle(clock);
  const cloud = createSimulatedCloud({ clock, random, chronicle });
  const cluster = createSimulatedCluster({ clock, random, delayMs: 20, onPatch: () => undefined });
  startSimulatedOperator({ clock, random, cloud, cluster, chronicle, graceMs: 10_000 });
  return {
    clock,
    cloud,
    cluster,
    join: (n) => {
      const instanceId = `i-${n}`;
      cloud.addInstance(instanceId);
      cluster.setNode(`n${n}`, {});
      cluster.setCiliumNode(`n${n}`, { instanceId, staticIpTags: { pool: 'a' } });
    },
    assigned: () => [...cluster.ciliumNodes.values()].filter(({ assignedStaticIp }) => assignedStaticIp).length,
    violations: chronicle.violations,
  };
}

describe('the claim engine', () => {
  it('serves all who wait for a pool with the first listing that shows addresses enough for them', async () => {
    const { clock, cloud, join, assigned } = raise();
    for (let n = 0; n < 8; n += 1) join(n);
    await clock.advance(10_000);
    for (let n = 0; n < 8; n += 1) cloud.addAddress('a');
    await clock.advance(60_000);
    expect(assigned()).toBe(8);
  });

  it('tries an address that somebody else was seen to have once, not once for each claim', async () => {
    const { clock, cloud, join, assigned } = raise();
    for (let n = 0; n < 25; n += 1) cloud.addAddress('a');
    cloud.addInstance('i-other-0');
    join(0);
    await clock.advance(5_000);
    // The pool was listed a moment ago, and others take what comes first in it.
    for (let n = 1; n <= 5; n += 1) {
      cloud.addInstance(`i-other-${n}`);
      cloud.attachOutside(cloud.addresses().filter(({ on }) => on === undefined)[0]?.id ?? '', `i-other-${n}`);
    }
    for (let n = 1; n <= 16; n += 1) join(n);
    await clock.advance(30_000);
    expect(assigned()).toBe(17);
    expect(cloud.calls.lostRaces).toBeLessThanOrEqual(5 * 3);
  });

  it('lets many that fail alone for ever longer, also those that have to wait for their turn', async () => {
    const { clock, cloud, join, assigned } = raise();
    for (let n = 0; n < 60; n += 1) cloud.addAddress('a');
    cloud.weather = { ...FAIR, attachFails: 'unavailable' };
    for (let n = 0; n < 40; n += 1) join(n);
    const triesIn = async (minutes: number): Promise<number> => {
      const before = cloud.calls.attach;
      await clock.advance(minutes * 60_000);
      return cloud.calls.attach - before;
    };
    expect(await triesIn(2)).toBeGreaterThan(40);
    // Each alone would try once in five minutes by then.
    await triesIn(20);
    expect(await triesIn(10)).toBeLessThanOrEqual(40 * 3);
    cloud.weather = FAIR;
    await clock.advance(6 * 60_000);
    expect(assigned()).toBe(40);
  });

  it('repairs, swaps and takes off although every read takes longer than a read may be old', async () => {
    const { clock, cloud, cluster, join, assigned } = raise();
    cloud.addAddress('a');
    cloud.addAddress('b');
    join(1);
    await clock.advance(5_000);
    expect(assigned()).toBe(1);
    cloud.weather = { ...FAIR, latencyMs: 4_000, steady: true };
    cloud.detachOutside(cloud.heldBy('i-1')?.id ?? '');
    await clock.advance(120_000);
    expect(cloud.heldBy('i-1')?.pool).toBe('a');
    cluster.setCiliumNode('n1', { staticIpTags: { pool: 'b' } });
    await clock.advance(60_000);
    expect(cloud.heldBy('i-1')?.pool).toBe('b');
    cluster.setCiliumNode('n1', { staticIpTags: {} });
    await clock.advance(90_000);
    expect(cloud.heldBy('i-1')).toBeUndefined();
  });

  it.each([['its Node first'], ['itself first']])(
    'takes the address off an instance that lives on when the CiliumNode goes, %s, whatever knew the instance',
    async (order) => {
      const { clock, cloud, cluster, assigned } = raise();
      cloud.addAddress('a');
      cloud.addInstance('i-1');
      cluster.setNode('n1', { providerId: 'aws:///eu-west-1a/i-1' });
      cluster.setCiliumNode('n1', { staticIpTags: { pool: 'a' } });
      await clock.advance(5_000);
      expect(assigned()).toBe(1);
      const removals = [() => cluster.setNode('n1', undefined), () => cluster.setCiliumNode('n1', undefined)];
      for (const remove of order === 'its Node first' ? removals : removals.toReversed()) {
        remove();
        await clock.advance(1_000);
      }
      await clock.advance(120_000);
      expect(cloud.heldBy('i-1')).toBeUndefined();
    },
  );
});
