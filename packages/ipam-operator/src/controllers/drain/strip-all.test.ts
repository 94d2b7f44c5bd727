import { describe, expect, it } from '@jest/globals';
import { KubeError } from '@static-ip/kube';
import type { KubeClient, Resource } from '@static-ip/kube';
import { createManualClock } from '@static-ip/testkit';
import { FINALIZER } from '../../api/names.ts';
import { stripAll } from './strip-all.ts';

/** Pods that each round's look finds, the last ones for ever; those in `stuck` refuse every write. */
function setUp(rounds: readonly (readonly string[])[], stuck: readonly string[] = []) {
  const clock = createManualClock({ startMs: 0 });
  let looks = 0;
  const [inFlight, most] = [new Set<string>(), { writes: 0 }];
  const own = { namespace: 'apps', resourceVersion: '1', finalizers: [FINALIZER.pod] };
  const raw = (name: string) => ({ metadata: { ...own, name, uid: name } });
  const kube: Pick<KubeClient, 'list' | 'isServed' | 'patch'> = {
    isServed: () => Promise.resolve(false),
    list: <T>({ kind, parse }: Pick<Resource, 'kind'> & { parse: (raw: unknown) => T }) => {
      const names = kind === 'Pod' ? (rounds[Math.min(looks++, rounds.length - 1)] ?? []) : [];
      return Promise.resolve({ items: names.map((name) => parse(raw(name))), rejected: [], resourceVersion: '1' });
    },
    patch: async ({ parse }, { name }) => {
      inFlight.add(name);
      most.writes = Math.max(most.writes, inFlight.size);
      await Promise.resolve();
      inFlight.delete(name);
      if (stuck.includes(name)) throw new KubeError('forbidden', `may not write ${name}`);
      return parse(raw(name));
    },
  };
  const logger = { info: () => undefined, warn: () => undefined };
  const deps = { kube, clock, logger, options: { namespace: undefined } };
  const run = (untilMs: number) => stripAll(deps, { spared: new Set(), untilMs }, new AbortController().signal);
  return { clock, run, most };
}

describe('taking all off', () => {
  it('tells what the last look found, not what had failed before', async () => {
    const { clock, run } = setUp(
      [
        ['gone', 'kept'],
        ['kept', 'new'],
      ],
      ['gone', 'kept'],
    );
    const stripping = run(1_000);
    await clock.advance(1_000);
    expect(await stripping).toEqual([
      { kind: 'Pod', name: 'apps/kept', reason: 'may not write kept' },
      { kind: 'Pod', name: 'apps/new', reason: expect.stringContaining('put a finalizer back') },
    ]);
  });

  it('writes to a few at a time, however many there are', async () => {
    const { clock, run, most } = setUp([Array.from({ length: 100 }, (_, n) => `web-${n}`), []]);
    const stripping = run(60_000);
    await clock.advance(1_000);
    expect(await stripping).toEqual([]);
    expect(most.writes).toBe(16);
  });
});
