import { Command } from 'commander';
import { addOptions, dress, readOptions, runCommandLine } from '@static-ip/shell';
import type { Terminal } from '@static-ip/shell';
import { INPUT_ERRORS } from '../app/connect.ts';
import { AGENT_OPTIONS } from '../app/options.ts';
import type { AgentOptions, JobName } from '../app/options.ts';

/** Runs one command line, without the program's own name in `words`. Resolves to the exit code of the process. */
export function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const program = createProgram(terminal, (result) => {
    code = result;
  });
  return runCommandLine({ program, inputErrors: INPUT_ERRORS, code: () => code }, words, terminal);
}

type Done = (code: number) => void;

/** Each command loads its own code when it runs. */
function createProgram(terminal: Terminal, done: Done): Command {
  const program = dress(new Command('static-ip-agent'), terminal).description(
    'Publishes the static IP tags of its node, and keeps the addresses of its pods on their way out',
  );
  const runJobs = async (options: AgentOptions): Promise<void> =>
    done(await (await import('./run.ts')).run(options, terminal));

  const run = program.command('run').description('Do the jobs of this node until told to stop');
  addOptions(run, AGENT_OPTIONS.of('run')).action(() => runJobs(readOptions(run, AGENT_OPTIONS, terminal)));

  for (const { name, about } of JOB_COMMANDS) {
    const command = program.command(name).description(about);
    const jobs = [name];
    addOptions(command, AGENT_OPTIONS.of(name)).action(() =>
      runJobs({ ...readOptions(command, AGENT_OPTIONS, terminal), jobs }),
    );
  }

  const cleanup = program.command('cleanup').description("Take all of this program's rules out of the kernel");
  addOptions(cleanup, AGENT_OPTIONS.of('cleanup')).action(async () => {
    const options = readOptions(cleanup, AGENT_OPTIONS, terminal);
    done(await (await import('./cleanup.ts')).cleanup(options, terminal));
  });
  return program;
}

const JOB_COMMANDS: readonly { readonly name: JobName; readonly about: string }[] = [
  { name: 'publish', about: 'Only publish the tags of the CNI configuration, until told to stop' },
  { name: 'no-masquerade', about: 'Only keep the source addresses of pods, until told to stop; the rules stay' },
];
