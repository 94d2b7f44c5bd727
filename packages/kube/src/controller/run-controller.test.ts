import { describe, expect, it } from '@jest/globals';
import { createManualClock, createSeededRandom } from '@static-ip/testkit';
import { KubeError } from '../errors.ts';
import { createWorkQueue } from '../queue/work-queue.ts';
import { again, failed, settled } from './outcome.ts';
import { runController } from './run-controller.ts';
import type { ControllerOptions, ReconcileReport } from './run-controller.ts';

function start(reconcile: ControllerOptions<string>['reconcile'], options: Partial<ControllerOptions<string>> = {}) {
  const clock = createManualClock({ startMs: 0 });
  const queue = createWorkQueue<string>({
    clock,
    random: createSeededRandom(1),
    backoff: { baseMs: 1_000, maxMs: 60_000 },
  });
  const reports: ReconcileReport<string>[] = [];
  const stop = new AbortController();
  const hooks = { onOutcome: (report: ReconcileReport<string>) => reports.push(report) };
  const running = runController({ name: 'test', queue, reconcile, workers: 2, clock, hooks, ...options }, stop.signal);
  return { clock, queue, reports, stop, running };
}

describe('controller', () => {
  it('leaves a settled key alone until it is added again', async () => {
    const runs: string[] = [];
    const { clock, queue, reports, stop, running } = start(async (key) => {
      runs.push(key);
      return settled;
    });
    queue.add('a');
    await clock.advance(3_600_000);
    expect(runs).toEqual(['a']);
    queue.add('a');
    await clock.advance(0);
    expect(reports.map(({ reconcileId }) => reconcileId)).toEqual(['test-1', 'test-2']);
    stop.abort();
    await running;
  });

  it('runs a key again after the time it asked for, which is no failure', async () => {
    const at: number[] = [];
    const { clock, queue, reports, stop, running } = start(async () => {
      at.push(clock.monotonic());
      return at.length < 3 ? again(5_000) : settled;
    });
    queue.add('a');
    await clock.advance(60_000);
    expect(at).toEqual([0, 5_000, 10_000]);
    expect(reports.map(({ attempt, nextInMs }) => [attempt, nextInMs])).toEqual([
      [0, 5_000],
      [0, 5_000],
      [0, undefined],
    ]);
    stop.abort();
    await running;
  });

  it('lets something be around each run, which ends as the run does', async () => {
    const told: string[] = [];
    const reports: ReconcileReport<string>[] = [];
    const { clock, queue, stop, running } = start(
      async (key) => {
        told.push(`run ${key}`);
        if (key === 'bad') throw new KubeError('conflict', 'scripted');
        return settled;
      },
      {
        hooks: {
          onOutcome: (report) => reports.push(report),
          around: async ({ controller, key, reconcileId }, run) => {
            told.push(`before ${controller} ${key} ${reconcileId}`);
            return run().finally(() => told.push(`after ${key}`));
          },
        },
      },
    );
    for (const key of ['good', 'bad']) {
      queue.add(key);
      await clock.advance(0);
    }
    expect(told).toEqual([
      'before test good test-1',
      'run good',
      'after good',
      'before test bad test-2',
      'run bad',
      'after bad',
    ]);
    expect(reports.map(({ key, code }) => [key, code])).toEqual([
      ['good', undefined],
      ['bad', 'conflict'],
    ]);
    stop.abort();
    await running;
  });

  it('backs off after failures, returned or thrown, and counts anew after a success', async () => {
    const script = [
      () => failed(new KubeError('conflict', 'scripted')),
      () => {
        throw new KubeError('throttled', 'scripted', { retryAfterMs: 30_000 });
      },
      () => settled,
      () => {
        throw new TypeError('a bug');
      },
      () => {
        throw 'not even an error';
      },
      () => settled,
    ];
    const { clock, queue, reports, stop, running } = start(async () => (script.shift() ?? (() => settled))());
    queue.add('a');
    await clock.advance(60_000);
    queue.add('a');
    await clock.advance(60_000);
    expect(reports.map(({ code, attempt }) => [code, attempt])).toEqual([
      ['conflict', 1],
      ['throttled', 2],
      [undefined, 0],
      ['internal', 1],
      ['unknown', 2],
      [undefined, 0],
    ]);
    expect(reports[1]?.nextInMs).toBe(30_000);
    stop.abort();
    await running;
  });

  it('aborts a run at its deadline, and gives the key back when the run ignores that', async () => {
    const signals: AbortSignal[] = [];
    const { clock, queue, reports, stop, running } = start(
      async (_key, { signal }) => {
        signals.push(signal);
        if (signals.length === 1) return new Promise(() => undefined);
        return settled;
      },
      { runDeadlineMs: 10_000 },
    );
    queue.add('a');
    await clock.advance(9_999);
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance(1);
    expect(signals[0]?.aborted).toBe(true);
    expect(reports).toEqual([]);
    await clock.advance(10_000);
    expect(reports.map(({ code }) => code)).toEqual(['timeout', undefined]);
    stop.abort();
    await running;
  });

  it('lets runs end by themselves for the drain time, then aborts them, and tells nobody of those', async () => {
    const { clock, queue, reports, stop, running } = start(
      async (key, { signal }) => {
        await clock.sleep(key === 'short' ? 500 : 60_000, signal);
        return settled;
      },
      { drainMs: 1_000 },
    );
    queue.add('short');
    queue.add('long');
    queue.add('waiting');
    await clock.advance(100);
    stop.abort(new Error('SIGTERM'));
    await clock.advance(2_000);
    await running;
    expect(reports.map(({ key }) => key)).toEqual(['short']);
    expect(clock.pending()).toBe(0);
  });

  it('never runs more keys at once than it has workers, nor stops for a hook that throws', async () => {
    let now = 0;
    let most = 0;
    let done = 0;
    const { clock, queue, stop, running } = start(
      async (_key, { signal }) => {
        most = Math.max(most, ++now);
        await clock.sleep(10, signal);
        now -= 1;
        done += 1;
        return settled;
      },
      {
        workers: 3,
        hooks: {
          onOutcome: () => {
            throw new Error('a broken hook');
          },
        },
      },
    );
    for (let i = 0; i < 20; i++) queue.add(`key-${i}`);
    await clock.advance(1_000);
    expect([most, done]).toEqual([3, 20]);
    stop.abort();
    await running;
  });
});
