import { CommanderError } from 'commander';
import type { Command } from 'commander';
import { exitCodeOf } from '../shell-error.ts';
import type { InputErrors } from '../shell-error.ts';
import { VERSION } from '../version.ts';
import { errorText } from './error-text.ts';
import type { Terminal } from './terminal.ts';

const EXIT_CODES = `
Exit codes: 0 done, or stopped as told; 1 failed at work; 2 the input is wrong: flags, environment, files.`;

/** A program's commands, and which errors of its packages mean wrong input. */
export interface CommandLine {
  readonly program: Command;
  readonly inputErrors: InputErrors;
  /** The exit code of the command that has run. */
  readonly code: () => number;
}

/** Gives the root command what all of our programs have: version, exit codes in the help, and output on the terminal. */
export function dress(program: Command, { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>): Command {
  return program
    .version(VERSION)
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
}

/** Runs one command line, without the program's own name in `words`. Resolves to the exit code of the process. */
export async function runCommandLine(
  { program, inputErrors, code }: CommandLine,
  words: readonly string[],
  { stderr }: Pick<Terminal, 'stderr'>,
): Promise<number> {
  try {
    await program.parseAsync([...words], { from: 'user' });
    return code();
  } catch (error) {
    // Commander has printed its own message already; help and version end this way too, with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    stderr.write(`${program.name()}: ${errorText(error)}\n`);
    return exitCodeOf(error, inputErrors);
  }
}
