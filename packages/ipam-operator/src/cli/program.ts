import { Command, CommanderError } from 'commander';
import { exitCodeOf } from '../app/operator-error.ts';
import { VERSION } from '../app/version.ts';
import { errorText } from './error-text.ts';
import { addOptions, outputOption, readOptions } from './option-flags.ts';
import type { Output, Terminal } from './terminal.ts';

const EXIT_CODES = `
Exit codes: 0 done, or stopped as told; 1 failed, or lost the lease; 2 the input is wrong: flags, environment, files.`;

/** Runs one command line, without the program's own name in `words`. Resolves to the exit code of the process. */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const done = (result: number): void => {
    code = result;
  };
  try {
    await createProgram(terminal, done).parseAsync([...words], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed its own message already; help and version end this way too, with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.stderr.write(`ipam-operator: ${errorText(error)}\n`);
    return exitCodeOf(error);
  }
}

/** Each command loads its own code when it runs: asking for the version loads none of it. */
function createProgram(terminal: Terminal, done: (code: number) => void): Command {
  const program = new Command('ipam-operator')
    .description('Gives Kubernetes nodes static public IP addresses from tagged pools')
    .version(VERSION)
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    });

  const run = program.command('run').description('Run the operator until it is told to stop');
  addOptions(run, 'run').action(async () => {
    const options = readOptions(run, 'run', terminal);
    done(await (await import('./run.ts')).run(options, terminal));
  });

  const plan = program.command('plan').description('Print what run would do now, and why not; changes nothing');
  addOptions(plan, 'plan')
    .addOption(outputOption())
    .action(async ({ output }: { readonly output: Output }) => {
      const options = readOptions(plan, 'plan', terminal);
      done(await (await import('./plan.ts')).plan(options, output, terminal));
    });

  program
    .command('validate-config')
    .description('Check a CNI configuration and show the static IP tags that are read from it')
    .argument('<path>', 'A .conf or .conflist file, or a directory such as /etc/cni/net.d')
    .addOption(outputOption())
    .action(async (path: string, { output }: { readonly output: Output }) => {
      done(await (await import('./validate-config.ts')).validateConfig(path, output, terminal));
    });
  return program;
}
