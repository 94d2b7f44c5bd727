import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { EIPS } from '../api/eip.ts';
import type { ControllerDeps } from '../app/compose.ts';
import { superviseFlow } from './supervise-flow.ts';

const quiet = (): void => undefined;

type Outcome = 'fails' | boolean;

interface Script {
  /** What each attempt does; then all succeed. */
  readonly installs?: Outcome[];
  readonly served: Outcome[];
  readonly problem?: string;
}

/** A flow over a server that answers in turn; what happens is told in order. */
function supervised({ installs, served, problem }: Script) {
  const clock = createManualClock({ startMs: 0 });
  const told: string[] = [];
  const answer = (what: string, answers: Outcome[]) => async (): Promise<boolean> => {
    const next = answers.shift() ?? true;
    told.push(`${what} at ${clock.monotonic()}: ${next}`);
    if (next === 'fails') throw new Error(what);
    return next;
  };
  const install = installs && answer('install', installs);
  const logger: ControllerDeps['logger'] = {
    error: quiet,
    warn: quiet,
    info: quiet,
    debug: quiet,
    child: () => logger,
  };
  const deps = {
    kube: { isServed: answer('served', served) },
    clock,
    logger,
    options: { resyncIntervalMs: 600_000 },
  };
  const stop = new AbortController();
  const done = superviseFlow(
    deps,
    {
      name: 'eip',
      resource: EIPS,
      install: install && (async () => void (await install())),
      watch: async (synced) => synced(),
      problem,
    },
    { onState: (state) => told.push(state), signal: stop.signal },
  );
  return { clock, told, done, stop };
}

describe('supervising a flow', () => {
  it('looks for its CRD once a minute, whatever the answers', async () => {
    const { clock, told, done } = supervised({ served: [false, 'fails', true] });
    await clock.advance(60_000);
    await clock.advance(60_000);
    await done;
    expect(told).toEqual([
      'absent',
      'served at 0: false',
      'served at 60000: fails',
      'served at 120000: true',
      'listing',
      'synced',
    ]);
  });

  it('installs its CRD first, until it succeeds, and then finds it soon', async () => {
    const { clock, told, done } = supervised({ installs: ['fails', true], served: [false, true] });
    await clock.advance(60_000);
    await clock.advance(500);
    await done;
    expect(told).toEqual([
      'installing',
      'install at 0: fails',
      'install at 60000: true',
      'absent',
      'served at 60000: false',
      'served at 60500: true',
      'listing',
      'synced',
    ]);
  });

  it('watches nothing when it lacks an option', async () => {
    const { told, done } = supervised({ served: [true], problem: 'it needs --cluster-name' });
    await done;
    expect(told).toEqual(['absent', 'served at 0: true', 'unusable']);
  });

  it('stops while it waits', async () => {
    const { told, done, stop } = supervised({ served: [false] });
    stop.abort();
    await done;
    expect(told).toEqual(['absent', 'served at 0: false']);
  });
});
