import { afterEach, describe, expect, it } from '@jest/globals';
import { KubeError } from '@static-ip/kube';
import type { KubeClient } from '@static-ip/kube';
import { OWNER_TAG, StaticIpError } from '@static-ip/provider';
import type { Address } from '@static-ip/provider';
import { createManualClock } from '@static-ip/testkit';
import { address, attachment } from '../../testing/facts.ts';
import { NO_TRACER } from '../../telemetry/tracer.ts';
import { runSweep } from './sweep.ts';
import type { SweepDeps } from './sweep.ts';

/** With a random number of one half, a run every minute sharp. */
const MINUTE_MS = 60_000;
const MIN_AGE_MS = 2 * MINUTE_MS;

const stop = new Set<AbortController>();
afterEach(() => {
  for (const controller of stop) controller.abort();
  stop.clear();
});

const MARKS = { [OWNER_TAG.clusterUid]: 'cluster-1', [OWNER_TAG.claimUid]: 'gone' };
const leaks = (...ns: readonly number[]): Address[] => ns.map((n) => address(n, { tags: MARKS }));

/** A cluster with one Eip of each of the uids, in pages of one. */
function clusterWith(uids: readonly string[], onList: () => void): SweepDeps['kube'] {
  const list: KubeClient['list'] = async (resource, { continue: token = '0' }) => {
    onList();
    const n = Number(token);
    const uid = uids[n];
    const items =
      uid === undefined
        ? []
        : [resource.parse({ metadata: { name: uid, namespace: 'default', uid, resourceVersion: '1' } })];
    const rest = n + 1 < uids.length ? { continue: String(n + 1) } : {};
    return { items, rejected: [], resourceVersion: '1', ...rest };
  };
  return {
    list,
    get: async (resource) =>
      resource.parse({ metadata: { name: 'kube-system', uid: 'cluster-1', resourceVersion: '1' } }),
  };
}

function start(cloud: Address[], over: { readonly eips?: readonly string[]; readonly mode?: 'observe' } = {}) {
  const clock = createManualClock({ startMs: 0 });
  /** What happened, in order: reads, lines about a release, and releases. */
  const trace: string[] = [];
  const broken = { list: undefined as Error | undefined, release: new Set<string>() };
  const log = (message: string, fields?: Readonly<Record<string, unknown>>): void => {
    if (message.startsWith('Releasing leaked')) trace.push(`say ${String(fields?.['addressId'])}`);
  };
  const logger = { error: log, warn: log, info: log, debug: log, child: () => logger };
  const deps: SweepDeps = {
    clock,
    logger,
    tracer: NO_TRACER,
    random: () => 0.5,
    kube: clusterWith(over.eips ?? ['other'], () => {
      trace.push('cluster');
      if (broken.list !== undefined) throw broken.list;
    }),
    provider: {
      listAddresses: async () => {
        trace.push('cloud');
        return { addresses: [...cloud], pools: [] };
      },
      release: async ({ id }) => {
        trace.push(`release ${id}`);
        if (broken.release.has(id)) throw new StaticIpError('denied', 'no');
        cloud.splice(
          cloud.findIndex((one) => one.id === id),
          1,
        );
      },
    },
    options: {
      sweep: { mode: over.mode ?? 'release', peerTags: false, intervalMs: MINUTE_MS, minAgeMs: MIN_AGE_MS },
      clusterName: 'prod',
      namespace: undefined,
    },
    metrics: { watchSweep: () => undefined, reconciled: () => undefined },
  };
  const controller = new AbortController();
  stop.add(controller);
  void runSweep(deps, controller.signal);
  const released = (): readonly string[] => trace.flatMap((line) => /^release (.*)$/.exec(line)?.[1] ?? []);
  return { clock, trace, broken, released };
}

describe('the sweep', () => {
  it('reads the cloud before the cluster, all pages of it, and says what it releases before it does', async () => {
    const { clock, trace } = start(leaks(1), { eips: ['one', 'two'] });
    await clock.advance(MINUTE_MS);
    expect(trace).toEqual(['cloud', 'cluster', 'cluster']);
    await clock.advance(MIN_AGE_MS);
    expect(trace.slice(-5)).toEqual(['cloud', 'cluster', 'cluster', 'say a-1', 'release a-1']);
  });

  it('B54: releases five at most in a run, and those that cannot be released do not hold up the others', async () => {
    const { clock, broken, released } = start(leaks(1, 2, 3, 4, 5, 6, 7));
    for (const id of ['a-1', 'a-2', 'a-3', 'a-4', 'a-5']) broken.release.add(id);
    await clock.advance(3 * MINUTE_MS);
    expect(released()).toEqual(['a-1', 'a-2', 'a-3', 'a-4', 'a-5']);
    await clock.advance(MINUTE_MS);
    expect(released().slice(5)).toEqual(['a-6', 'a-7']);
    // The age of those that were tried is counted anew.
    await clock.advance(2 * MINUTE_MS);
    expect(released().slice(7)).toEqual(['a-1', 'a-2', 'a-3', 'a-4', 'a-5']);
  });

  it('B54: releases nothing while the list fails, however long, and goes on when it is back', async () => {
    const { clock, broken, released } = start(leaks(1));
    broken.list = new KubeError('forbidden', 'listing eips');
    await clock.advance(20 * MINUTE_MS);
    expect(released()).toEqual([]);
    broken.list = undefined;
    await clock.advance(2 * MINUTE_MS);
    expect(released()).toEqual([]);
    await clock.advance(2 * MINUTE_MS);
    expect(released()).toEqual(['a-1']);
  });

  it('B54: counts the age anew when the address was in use in between', async () => {
    const cloud = leaks(1);
    const [free] = cloud;
    const { clock, released } = start(cloud);
    await clock.advance(2 * MINUTE_MS);
    cloud[0] = address(1, { tags: MARKS, attachment: attachment(1) });
    await clock.advance(MINUTE_MS);
    cloud.splice(0, 1, ...(free === undefined ? [] : [free]));
    await clock.advance(2 * MINUTE_MS);
    expect(released()).toEqual([]);
    await clock.advance(MINUTE_MS);
    expect(released()).toEqual(['a-1']);
  });

  it('B54: releases nothing with --sweep=observe', async () => {
    const { clock, trace } = start(leaks(1), { mode: 'observe' });
    await clock.advance(20 * MINUTE_MS);
    expect(trace.filter((line) => line === 'cloud')).toHaveLength(20);
    expect(trace.some((line) => line.includes('a-1'))).toBe(false);
  });
});
