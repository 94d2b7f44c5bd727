import { describe, expect, it } from '@jest/globals';
import { StaticIpError } from '@static-ip/provider';
import type { Quota } from '@static-ip/provider';
import { createMemoryCloud } from '@static-ip/provider/memory';
import type { LogFields, Logger } from '@static-ip/shell';
import { createManualClock } from '@static-ip/testkit';
import { errorVerdict } from '../../core/error-verdict.ts';
import { nameQuota } from './name-quota.ts';
import { createQuotaWatch } from './watch-quota.ts';

const MINUTE_MS = 60_000;
const unavailable = new StaticIpError('unavailable', 'no answer');

function logInto(lines: string[]): Logger {
  const at =
    (level: string) =>
    (message: string, { used, limit }: LogFields = {}): void => {
      const numbers = used === undefined ? '' : ` ${JSON.stringify([used, limit])}`;
      lines.push(`${level} ${message}${numbers}`);
    };
  const logger: Logger = {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: () => logger,
  };
  return logger;
}

/** A watch that finds these answers, one after the other, once a minute. */
function watching(answers: readonly (Quota | Error)[]) {
  const clock = createManualClock({ startMs: 0 });
  const stop = new AbortController();
  const lines: string[] = [];
  let looks = 0;
  let gauge: (() => Quota | undefined) | undefined;
  const quota = async (): Promise<Quota> => {
    const answer = answers[looks];
    looks += 1;
    if (answer === undefined) throw unavailable;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const watch = createQuotaWatch({
    provider: { quota },
    clock,
    random: () => 0,
    options: { quotaIntervalMs: MINUTE_MS },
    logger: logInto(lines),
    metrics: {
      watchQuota: (ask) => {
        gauge = ask;
      },
    },
  });
  const running = watch.run(stop.signal);
  return { clock, lines, watch, gauge: () => gauge?.(), looks: () => looks, stop: () => (stop.abort(), running) };
}

describe('the watch of the quota', () => {
  it('looks once a minute, first after a minute, and ends with the signal', async () => {
    const { clock, gauge, looks, stop } = watching([
      { used: 1, limit: 9 },
      { used: 2, limit: 9 },
    ]);
    await clock.advance(MINUTE_MS - 1);
    expect([looks(), gauge()]).toEqual([0, undefined]);
    await clock.advance(1);
    expect([looks(), gauge()]).toEqual([1, { used: 1, limit: 9 }]);
    await clock.advance(MINUTE_MS);
    expect([looks(), gauge()]).toEqual([2, { used: 2, limit: 9 }]);
    await stop();
    await clock.advance(MINUTE_MS);
    expect(looks()).toBe(2);
  });

  it('tells what is new, and once each time that nine of ten are used', async () => {
    const uses = [8, 8, 9, 10, 8, 9];
    const { clock, lines, stop } = watching(uses.map((used) => ({ used, limit: 10 })));
    for (const _ of uses) await clock.advance(MINUTE_MS);
    await stop();
    expect(lines).toEqual([
      'info The quota of addresses [8,10]',
      'debug The quota of addresses is as before [8,10]',
      'warn The quota of addresses is nearly used up [9,10]',
      'info The quota of addresses [10,10]',
      'info The quota of addresses [8,10]',
      'warn The quota of addresses is nearly used up [9,10]',
    ]);
  });

  it('warns of no limit that it does not know', async () => {
    const { clock, lines, stop } = watching([{ used: 300, remark: 'may not be asked' }]);
    await clock.advance(MINUTE_MS);
    await stop();
    expect(lines).toEqual(['info The quota of addresses [300,null]']);
  });

  it('keeps the last answer when a look fails, tells that once, and goes on', async () => {
    const { clock, lines, gauge, stop } = watching([
      { used: 1, limit: 9 },
      unavailable,
      new TypeError('a bug'),
      { used: 2, limit: 9 },
    ]);
    for (let n = 0; n < 3; n++) await clock.advance(MINUTE_MS);
    expect(gauge()).toEqual({ used: 1, limit: 9 });
    await clock.advance(MINUTE_MS);
    expect(gauge()).toEqual({ used: 2, limit: 9 });
    await stop();
    expect(lines).toEqual([
      'info The quota of addresses [1,9]',
      'warn Cannot read the quota of addresses, trying again',
      'debug Cannot read the quota of addresses, trying again',
      'info The quota of addresses [2,9]',
    ]);
  });
});

describe('a refusal for the quota', () => {
  it('says how much of it is used, as soon as that is known', async () => {
    const clock = createManualClock({ startMs: 0 });
    const cloud = createMemoryCloud({ clock, quota: 1 });
    const known: { quota?: Quota | undefined } = {};
    const provider = nameQuota(cloud.provider(), () => known.quota);
    const options = { signal: new AbortController().signal };
    const messageOfNext = async (): Promise<string> => {
      const error: unknown = await provider.allocate?.({ tags: { a: 'b' } }, options).catch((cause: unknown) => cause);
      return error instanceof StaticIpError ? errorVerdict(error).message : '';
    };
    await provider.allocate?.({ tags: { a: 'b' } }, options);
    expect(await messageOfNext()).not.toContain('1 of 1');
    known.quota = await provider.quota?.(options);
    expect(await messageOfNext()).toContain('used 1 of 1');
  });
});
