import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running server of a cluster. */
export interface ServerProcess {
  readonly pid: number;
  /** Sends SIGTERM, then SIGKILL if it has not ended within `graceMs`; resolves when it has ended. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export interface ServerCommand {
  /** Names the log file and the process id file in `directory`. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Whether the server serves already; asked every 25 ms until it says yes, and should not wait long itself. */
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
  readonly readyWithinMs: number;
}

/** Thrown when a server ended, or was not ready in time; `log` is the end of what it said. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
  readonly log: string;
  constructor(message: string, log: string) {
    super(`${message}:\n${log}`);
    this.log = log;
  }
}

const POLL_MS = 25;
const LOG_TAIL_CHARACTERS = 4_000;

/**
 * Starts a server and waits until it is ready. It gets a session of its own, so that Ctrl-C in a terminal does not end
 * it under a program that is still using it: `stop` does, or the orphan guard.
 * @throws ServerStartError; the signal's reason when aborted. The process is gone in both cases.
 */
export async function startServer(command: ServerCommand, signal: AbortSignal): Promise<ServerProcess> {
  const logFile = path.join(command.directory, `${command.name}.log`);
  const pidFile = path.join(command.directory, `${command.name}.pid`);
  const log = openSync(logFile, 'a');
  const child = spawn(command.program, command.args, {
    detached: true,
    stdio: ['ignore', log, log],
    ...(command.environment === undefined ? {} : { env: command.environment }),
  });
  closeSync(log);
  const ended = Promise.withResolvers<string>();
  child.on('error', (error) => ended.resolve(`cannot run ${command.program}: ${error.message}`));
  child.on('exit', (code, killedBy) => ended.resolve(`${command.name} ended with ${killedBy ?? `exit code ${code}`}`));
  if (child.pid === undefined) throw new ServerStartError(await ended.promise, '');
  writeFileSync(pidFile, String(child.pid));

  const stop = async (graceMs: number): Promise<void> => {
    child.ref();
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended.promise;
    clearTimeout(killer);
    rmSync(pidFile, { force: true });
  };

  const failed = await untilReady(command, ended.promise, signal).catch(async (error: unknown) => {
    await stop(0);
    throw error;
  });
  if (failed !== undefined) {
    await stop(0);
    throw new ServerStartError(failed, readFileSync(logFile, 'utf8').slice(-LOG_TAIL_CHARACTERS));
  }
  // A test process may end while its cluster runs; the guard cleans up then.
  child.unref();
  return { pid: child.pid, stop };
}

/** Undefined when ready, else what went wrong. */
async function untilReady(
  command: ServerCommand,
  ended: Promise<string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadlineMs = performance.now() + command.readyWithinMs;
  for (;;) {
    if (await command.isReady(signal)) return undefined;
    signal.throwIfAborted();
    const how = await Promise.race([ended, sleep(POLL_MS)]);
    if (how !== undefined) return how;
    if (performance.now() > deadlineMs) return `${command.name} was not ready within ${command.readyWithinMs} ms`;
  }
}
