import { describe, expect, it } from '@jest/globals';
import { withRustLog } from './rust-log.ts';

describe('RUST_LOG', () => {
  it.each([
    ['debug', 'debug'],
    ['TRACE', 'debug'],
    ['off', 'error'],
    ['kube=trace,warn', 'warn'],
    ['warn,eip_operator=debug', 'warn'],
  ])('%s is the log level %s', (RUST_LOG, level) => {
    expect(withRustLog({ RUST_LOG })['LOG_LEVEL']).toBe(level);
    expect(withRustLog({ RUST_LOG, LOG_LEVEL: '' })['LOG_LEVEL']).toBe(level);
  });

  it('gives way to LOG_LEVEL, and says nothing by targets alone', () => {
    expect(withRustLog({ RUST_LOG: 'debug', LOG_LEVEL: 'warn' })['LOG_LEVEL']).toBe('warn');
    expect(withRustLog({ RUST_LOG: 'my_crate=debug,loud' })).not.toHaveProperty('LOG_LEVEL');
    expect(withRustLog({})).toEqual({});
  });
});
