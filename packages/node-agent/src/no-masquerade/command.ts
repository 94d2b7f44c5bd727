import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { AgentError } from '../errors.ts';

/** What a program answered. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandRequest {
  readonly program: string;
  readonly args: readonly string[];
  /** Given to the program's standard input. */
  readonly input?: string | undefined;
}

/**
 * Runs a program to its end.
 * @throws AgentError `missing` when it is not installed, `timeout` when it took too long; the signal's reason.
 */
export type RunCommand = (request: CommandRequest, signal: AbortSignal) => Promise<CommandResult>;

/** Far beyond what any of these programs takes: a hung one must not hold the job for ever. */
const DEADLINE_MS = 20_000;

/** Runs programs of the system. `prefix` is a command to run them under, e.g. in another network namespace. */
export function createCommandRunner(prefix: readonly string[] = []): RunCommand {
  return async ({ program, args, input = '' }, signal) => {
    signal.throwIfAborted();
    const [command = program, ...rest] = [...prefix, program, ...args];
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    const child = spawn(command, rest, {
      stdio: 'pipe',
      signal: AbortSignal.any([signal, deadline]),
      killSignal: 'SIGKILL',
    });
    // A program that ended without reading its input says more by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const closed = once(child, 'close');
    try {
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
      return { exitCode: child.exitCode ?? -1, stdout, stderr };
    } catch (error) {
      signal.throwIfAborted();
      throw translate(error, { program, timedOut: deadline.aborted });
    }
  };
}

function translate(error: unknown, { program, timedOut }: { program: string; timedOut: boolean }): AgentError {
  const fields = { program };
  if (timedOut) return new AgentError('timeout', 'waiting for a program of the system', { fields, cause: error });
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return new AgentError('missing', 'starting a program of the system: install it', { fields, cause: error });
  }
  return new AgentError('refused', 'running a program of the system', { fields, cause: error });
}

/** The error for a program that said no. */
export function refusal({ program, args }: CommandRequest, { exitCode, stderr }: CommandResult): AgentError {
  const fields = { program, args: args.join(' '), exitCode: String(exitCode) };
  const cause = new Error(stderr.trim().slice(0, 1_000));
  return new AgentError('refused', 'changing or reading the kernel of the node', { fields, cause });
}
