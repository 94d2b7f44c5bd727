import { createManualClock, createSeededRandom } from '@static-ip/testkit';
import { createChronicle } from './chronicle.ts';
import { createSimulatedCloud, FAIR, pick } from './cloud.ts';
import type { SimulatedCloud } from './cloud.ts';
import { createSimulatedCluster } from './cluster.ts';
import { happen } from './happen.ts';
import { faultOfPatch, restless, unrest } from './judge.ts';
import type { Counts } from './judge.ts';
import { startSimulatedOperator } from './operator.ts';
import type { SimulatedOperator } from './operator.ts';

/** How a simulated world ended. */
export interface SimulatedEnd {
  readonly seed: number;
  readonly violations: readonly string[];
  /** The story, for a person. */
  readonly lines: readonly string[];
  readonly calls: SimulatedCloud['calls'];
}

/** Nobody gives up the lease of a process that was killed: the next one starts when it is over, ms. */
const LEASE_MS = 15_000;
const EVENTS = 40;
const GRACE_MS = 10_000;
/** So long after the last trouble everything must be where it belongs, ms. */
const PEACE_MS = 15 * 60_000;
const THREE_RESYNCS_MS = 3 * 60_000;

/**
 * One world from one number: nodes that come and go, addresses that others pull away, a cloud that fails, lags and
 * loses replies, an operator that is killed; then peace, in which all must settle. Equal seeds give equal worlds.
 */
export async function simulate(seed: number): Promise<SimulatedEnd> {
  const clock = createManualClock({ startMs: Date.UTC(2026, 0, 1) });
  const random = createSeededRandom(seed);
  const chronicle = createChronicle(clock);
  const cloud = createSimulatedCloud({ clock, random, chronicle });
  const cluster = createSimulatedCluster({
    clock,
    random,
    delayMs: 300,
    onPatch: (before, ip) => {
      chronicle.note(`status of ${before.metadata.name}: ${before.assignedStaticIp ?? 'none'} → ${ip ?? 'none'}`);
      const fault = faultOfPatch(before, ip, { cloud, clock });
      if (fault !== undefined) chronicle.violation(fault);
    },
  });
  const start = (): SimulatedOperator =>
    startSimulatedOperator({ clock, random, cloud, cluster, chronicle, graceMs: GRACE_MS });
  const counts = (): Counts => ({ ...cloud.calls, patches: cluster.patches });
  const trouble = { kills: seed % 2 === 0, edits: seed % 2 === 1, outsiders: seed % 3 !== 0 };

  for (let n = 0; n < 4 + random() * 8; n += 1) cloud.addAddress(pick(['a', 'b'], random));
  let operator = start();
  for (let n = 0; n < EVENTS; n += 1) {
    const what = happen({ random, cloud, cluster, trouble });
    chronicle.note(`— ${what}`);
    if (what === 'kill') {
      operator.kill();
      await clock.advance(LEASE_MS + random() * 3_000);
      operator = start();
    }
    await clock.advance(pick([20, 200, 2_000, 20_000], random) * random());
  }

  chronicle.note('— peace');
  cloud.weather = FAIR;
  await clock.advance(PEACE_MS);
  for (const fault of unrest({ cluster, cloud })) chronicle.violation(fault);
  const before = counts();
  await clock.advance(THREE_RESYNCS_MS);
  for (const fault of restless(before, counts())) chronicle.violation(fault);
  operator.kill();
  await clock.advance(60_000);
  return { seed, violations: chronicle.violations, lines: chronicle.lines(), calls: cloud.calls };
}
