import process from 'node:process';
import type { Terminal } from './cli/terminal.ts';
import { exitCodeOf } from './shell-error.ts';
import type { InputErrors } from './shell-error.ts';
import { createLogger } from './telemetry/logger.ts';
import type { LogFormat, Logger, LogLevel } from './telemetry/logger.ts';
import { VERSION } from './version.ts';

/** The options that every service has for its log. */
export interface LogOptions {
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** A piece of work that lasts until the terminal's signal aborts. */
export interface Service<Options extends LogOptions> {
  readonly options: Options;
  readonly terminal: Pick<Terminal, 'stderr' | 'onCrash'>;
  /** Milliseconds since the Unix epoch. */
  readonly clock: { now(): number };
  readonly inputErrors: InputErrors;
  readonly serve: (logger: Logger) => Promise<void>;
}

/** Runs a service with a log that tells its start, its effective options and how it ended. Resolves to the exit code. */
export async function runService<Options extends LogOptions>(service: Service<Options>): Promise<0 | 1 | 2> {
  const { options, terminal, clock, inputErrors, serve } = service;
  const logger = createLogger({
    level: options.logLevel,
    format: options.logFormat,
    clock,
    stream: terminal.stderr,
  });
  terminal.onCrash((err) => logger.error('Stopping after a failure that nobody caught', { err }));
  logger.info('Starting', { version: VERSION, node: process.versions.node, options });
  try {
    await serve(logger);
    logger.info('Stopped');
    return 0;
  } catch (err) {
    logger.error('Stopping after a failure', { err });
    return exitCodeOf(err, inputErrors);
  }
}
