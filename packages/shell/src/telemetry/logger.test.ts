import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { createLogger } from './logger.ts';
import type { LogFields, LogFormat, Logger, LogLevel } from './logger.ts';

function setUp(format: LogFormat, level: LogLevel = 'debug'): { readonly logger: Logger; readonly text: () => string } {
  let written = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written += chunk.toString();
      done();
    },
  });
  const clock = createManualClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
  return { logger: createLogger({ level, format, clock, stream }), text: () => written };
}

/** The one line that `log` writes, as data. */
function jsonOf(log: (logger: Logger) => void): unknown {
  const { logger, text } = setUp('json');
  log(logger);
  expect(text().trimEnd()).not.toContain('\n');
  return JSON.parse(text());
}

class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly code = 'throttled';
  readonly fields = { action: 'AssociateAddress' };
  readonly request = { headers: { authorization: 'AWS4 secret' } };
}

describe('logger', () => {
  it('begins each JSON line with time, level and message', () => {
    const { logger, text } = setUp('json');
    logger.info('Attaching address', { ip: '192.0.2.1' });
    expect(text()).toBe(
      '{"time":"2026-01-02T03:04:05.678Z","level":"info","message":"Attaching address","ip":"192.0.2.1"}\n',
    );
  });

  it('keeps message, stack, code, fields and causes of an error, and drops the objects that hang on it', () => {
    const cause = new TypeError('socket closed');
    const line = jsonOf((logger) => logger.error('Call failed', { err: new CloudError('attaching', { cause }) }));
    expect(line).toMatchObject({
      message: 'Call failed',
      err: {
        name: 'CloudError',
        message: 'attaching',
        code: 'throttled',
        fields: { action: 'AssociateAddress' },
        stack: expect.stringContaining('logger.test'),
        cause: { name: 'TypeError', message: 'socket closed', stack: expect.stringContaining('TypeError') },
      },
    });
    expect(JSON.stringify(line)).not.toContain('AWS4');
  });

  it('logs whatever was thrown, also loops of causes, and collections', () => {
    const looped = new Error('looped');
    looped.cause = looped;
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const [err, words] of [
      ['text', 'text'],
      [undefined, 'undefined'],
      [{ reason: 'object' }, '{"reason":"object"}'],
      [circular, '[object Object]'],
      [looped, 'looped'],
      [new AggregateError([new Error('one'), 2], 'several'), 'several'],
    ] as const) {
      expect(jsonOf((logger) => logger.error('Failed', { err }))).toMatchObject({ err: { message: words } });
    }
    const several = jsonOf((logger) => logger.error('Failed', { err: new AggregateError([new Error('one'), 2]) }));
    expect(several).toMatchObject({ err: { errors: [{ message: 'one' }, { message: '2' }] } });
  });

  it('adds the fields of all parents, the nearest winning, and never lets a field replace the message', () => {
    // What the types forbid can still come in through data.
    const hostile: LogFields = JSON.parse('{"message":"other","level":"error","time":"never"}');
    const line = jsonOf((logger) =>
      logger.child({ controller: 'claims', key: 'a' }).child({ key: 'b' }).warn('Degraded', hostile),
    );
    expect(line).toEqual({
      time: '2026-01-02T03:04:05.678Z',
      level: 'warn',
      message: 'Degraded',
      controller: 'claims',
      key: 'b',
    });
  });

  it('masks secrets by key at any depth, and logins inside URLs', () => {
    const line = jsonOf((logger) =>
      logger.info('Starting', {
        options: { token: 'abc', nested: [{ secretAccessKey: 'def', region: 'eu-west-1' }] },
        traces: { headers: { 'x-team': 'ghi' } },
        proxy: 'http://me:pass@proxy:3128/x',
      }),
    );
    expect(line).toMatchObject({
      options: { token: '[redacted]', nested: [{ secretAccessKey: '[redacted]', region: 'eu-west-1' }] },
      traces: { headers: '[redacted]' },
      proxy: 'http://[redacted]@proxy:3128/x',
    });
  });

  it('writes nothing below its level', () => {
    const { logger, text } = setUp('json', 'warn');
    logger.info('Not important');
    logger.debug('Not at all');
    expect(text()).toBe('');
    logger.warn('Important');
    expect(text()).toContain('Important');
  });

  it('writes text for people: fields as pairs, the stack of a bug, but not that of an expected error', () => {
    const { logger, text } = setUp('text');
    logger.warn('Degraded', { key: 'node-1', detail: 'two words' });
    logger.error('Failed', { err: new CloudError('attaching', { cause: new TypeError('bug') }) });
    const plain = stripVTControlCharacters(text());
    expect(plain).toContain('03:04:05.678 WARN  Degraded key=node-1 detail="two words"\n');
    expect(plain).toContain('  CloudError: attaching {"code":"throttled","fields":{"action":"AssociateAddress"}}\n');
    expect(plain).toMatch(/ {4}TypeError: bug\n +at /);
  });
});
