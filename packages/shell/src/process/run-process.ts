import process from 'node:process';
import type { Writable } from 'node:stream';
import type { Terminal } from '../cli/terminal.ts';
import { tooOldNode } from './node-version.ts';
import { keepHeapSmall } from './small-heap.ts';

/** A program: its name, and how to load the code that runs a command line and resolves to the exit code. */
export interface Program {
  readonly name: string;
  /** Called only when Node is new enough: older ones could not even read that code. */
  readonly load: () => Promise<(words: readonly string[], terminal: Terminal) => Promise<number>>;
}

/**
 * Runs a program as this process and ends the process with its exit code. SIGTERM and SIGINT abort the terminal's signal;
 * the second one ends the process at once. An error that nobody caught is told to the program's crash handler, and ends
 * the process with 1.
 */
export async function runProcess({ name, load }: Program): Promise<never> {
  const complaint = tooOldNode(name, process.versions.node);
  if (complaint !== undefined) {
    process.stderr.write(`${complaint}\n`);
    process.exit(2);
  }
  keepHeapSmall();
  const stop = new AbortController();
  let onCrash = (error: unknown): void => {
    process.stderr.write(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  };
  // Also rejections that nobody handled: Node turns them into this.
  process.on('uncaughtException', (error) => {
    onCrash(error);
    process.exit(1);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // The second one finds no handler and ends the process at once.
    process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as `head`, is no failure.
    if (error.code !== 'EPIPE') throw error;
  });
  const run = await load();
  const code = await run(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    workingDirectory: process.cwd(),
    signal: stop.signal,
    onCrash: (handler) => {
      onCrash = handler;
    },
  });
  await allWritten(process.stdout);
  process.exit(code);
}

/** A pipe takes 64 KiB at once; what its reader has not taken yet would be lost with the process. */
function allWritten(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
