import { Command } from 'commander';
import { addOptions, dress, outputOption, readOptions, runCommandLine } from '@static-ip/shell';
import type { Output, Terminal } from '@static-ip/shell';
import { INPUT_ERRORS } from '../app/operator-error.ts';
import { OPERATOR_OPTIONS } from '../app/options/compile-options.ts';
import { addDrainFlags } from './drain-options.ts';
import type { DrainFlags } from './drain-options.ts';
import type { StatusFlags } from './status.ts';

/** Runs one command line, without the program's own name in `words`. Resolves to the exit code of the process. */
export function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const program = createProgram(terminal, (result) => {
    code = result;
  });
  return runCommandLine({ program, inputErrors: INPUT_ERRORS, code: () => code }, words, terminal);
}

/** Each command loads its own code when it runs: asking for the version loads none of it. */
function createProgram(terminal: Terminal, done: (code: number) => void): Command {
  const program = dress(new Command('ipam-operator'), terminal).description(
    'Gives Kubernetes nodes static public IP addresses from tagged pools',
  );

  const run = program.command('run').description('Run the operator until it is told to stop');
  addOptions(run, OPERATOR_OPTIONS.of('run')).action(async () => {
    const options = readOptions(run, OPERATOR_OPTIONS, terminal);
    done(await (await import('./run.ts')).run(options, terminal));
  });

  const status = program
    .command('status')
    .description('Print who has which address, who waits and why, and the use of each pool; changes nothing');
  addOptions(status, OPERATOR_OPTIONS.of('status'))
    .option('--no-cloud', 'Read the cluster only: what its objects say is not compared with the cloud')
    .addOption(outputOption())
    .action(async (flags: StatusFlags) => {
      const options = readOptions(status, OPERATOR_OPTIONS, terminal);
      done(await (await import('./status.ts')).status(options, flags, terminal));
    });

  const plan = program.command('plan').description('Print what run would do now, and why not; changes nothing');
  addOptions(plan, OPERATOR_OPTIONS.of('plan'))
    .addOption(outputOption())
    .action(async ({ output }: { readonly output: Output }) => {
      const options = readOptions(plan, OPERATOR_OPTIONS, terminal);
      done(await (await import('./plan.ts')).plan(options, output, terminal));
    });

  const drain = program
    .command('drain')
    .description('Make the cluster live without the operator: take our finalizers off, before it is uninstalled');
  addDrainFlags(addOptions(drain, OPERATOR_OPTIONS.of('drain')))
    .addOption(outputOption())
    .action(async ({ output, ...flags }: DrainFlags & { readonly output: Output }) => {
      const options = readOptions(drain, OPERATOR_OPTIONS, terminal);
      done(await (await import('./drain.ts')).drain({ options, flags, output }, terminal));
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
