import type { Writable } from 'node:stream';
import winston from 'winston';
import { LINE_FORMATS } from './line-format.ts';

/** From the most to the least important. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export type LogFormat = keyof typeof LINE_FORMATS;

/** What a line says beside its message: flat values; an error only under `err`. The reserved names cannot be used. */
export interface LogFields {
  readonly [key: string]: unknown;
  readonly err?: unknown;
  readonly message?: never;
  readonly level?: never;
  readonly time?: never;
}

/**
 * All that the rest of the program knows of logging. Messages are constant texts, sentence case, without a full stop:
 * what varies is a field.
 */
export interface Logger {
  /** A person should look. */
  error(message: string, fields?: LogFields): void;
  /** Degraded, and it will be tried again. */
  warn(message: string, fields?: LogFields): void;
  /** The world changed. */
  info(message: string, fields?: LogFields): void;
  /** Decided that nothing is to be done. */
  debug(message: string, fields?: LogFields): void;
  /** The same logger with more fields on every line. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Milliseconds since the Unix epoch. */
  readonly clock: { now(): number };
  readonly stream: Writable;
}

/** Makes the one logger of the process; everything else is given a child of it. */
export function createLogger({ level, format, clock, stream }: LoggerOptions): Logger {
  const sink = winston.createLogger({
    level,
    levels: { error: 0, warn: 1, info: 2, debug: 3 },
    format: LINE_FORMATS[format],
    transports: [new winston.transports.Stream({ stream })],
  });
  return bind((entry) => {
    const head = { time: new Date(clock.now()).toISOString(), level: entry.level, message: entry.message };
    // First for the reader, and last again: no field can take the place of the three that every line has.
    sink.log({ ...head, ...entry.fields, ...head });
  }, {});
}

interface Entry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

function bind(write: (entry: Entry) => void, bound: LogFields): Logger {
  const at = (level: LogLevel) => (message: string, fields?: LogFields) =>
    write({ level, message, fields: { ...bound, ...fields } });
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => bind(write, { ...bound, ...fields }),
  };
}
