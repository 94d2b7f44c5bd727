import { Command, InvalidArgumentError, Option } from 'commander';
import { OPERATOR_BUNDLE } from '../subject/operator-bundle.ts';
import { parseCommandLine } from './subject.ts';
import type { CommandLine } from './subject.ts';

/** Nodes; pods with an Eip each that come and go; such pods that come back elsewhere. */
export type FlowName = (typeof FLOWS)[number];

const FLOWS = ['node', 'eip', 'eip-follow'] as const;

/** How a benchmark is to run. */
export interface BenchOptions {
  readonly flow: FlowName;
  /** How many nodes or pods, whichever the flow is about. */
  readonly counts: readonly number[];
  /** Whether our operator is measured. */
  readonly operator: boolean;
  readonly operatorBundle: string;
  readonly commands: readonly CommandLine[];
  readonly json: string | undefined;
  readonly plot: string | undefined;
  /** Where every EC2 call goes, for a look at who asks what when. */
  readonly journal: string | undefined;
  readonly settled: boolean;
  readonly check: boolean;
  readonly latencyMs: number;
  readonly bucketSpeed: number;
  readonly warmUpSeconds: number;
  readonly repetitions: number;
  readonly timeoutSeconds: number | undefined;
}

interface Parsed extends Omit<
  BenchOptions,
  'counts' | 'operator' | 'commands' | 'operatorBundle' | 'latencyMs' | 'warmUpSeconds' | 'timeoutSeconds'
> {
  readonly nodes?: readonly number[];
  readonly pods?: readonly number[];
  readonly subject?: 'operator';
  readonly subjectCommand?: readonly CommandLine[];
  readonly operator: string;
  readonly latency: number;
  readonly warmUp: number;
  readonly timeout?: number;
  readonly repeat: number;
}

/** Parses the command line. Ends the process with a message when it is wrong, or with the help when that is asked for. */
export function parseBenchOptions(argv: readonly string[]): BenchOptions {
  const command = new Command('bench')
    .description('Measures how fast, and with how many cloud calls, nodes and pods get their addresses')
    .addOption(new Option('--flow <name>', 'what asks for addresses').choices(FLOWS).default('node'))
    .option(
      '--nodes <list>',
      'numbers of nodes, each a run of its own; 1 measures latency on an idle system (default: 50,200,500)',
      counts,
    )
    .option('--pods <list>', 'the same for pods, in the flows eip and eip-follow', counts)
    .addOption(
      new Option('--subject <name>', 'measure the operator of this repository (the default)').choices(['operator']),
    )
    .option('--subject-command <[name=]command>', 'measure another program, may be repeated', collect)
    .option('--operator <file>', 'bundle of the operator', OPERATOR_BUNDLE)
    .option('--json <file>', 'write the records as a JSON array')
    .option('--plot <file.svg>', 'write an image of seconds over nodes')
    .option('--journal <file>', 'write every EC2 call of every run as JSON')
    .option('--settled', 'after each run, count what ten resyncs and a restart do to the settled world', false)
    .option('--check', 'exit with 1 when the operator misses a target', false)
    .option('--latency <ms>', 'time that each EC2 call takes', atLeast(0), 0)
    .option('--bucket-speed <factor>', "seconds of EC2's request budget per second", atLeast(0.001), 1)
    .option('--warm-up <seconds>', 'time a subject gets after its start', atLeast(0), 3)
    .option('--repeat <times>', 'nodes measured one after the other with --nodes 1', atLeast(1), 20)
    .option('--timeout <seconds>', 'when to give a run up (default: 3 × floor + 60)', atLeast(1))
    .parse([...argv], { from: 'user' });
  const options = command.opts<Parsed>();
  const commands = options.subjectCommand ?? [];
  const [given, other, hint] =
    options.flow === 'node'
      ? [options.nodes, options.pods, '--pods is for --flow eip or eip-follow: give --nodes']
      : [options.pods, options.nodes, `--nodes is for --flow node: give --pods for ${options.flow}`];
  if (other !== undefined) command.error(`error: ${hint}`);
  return {
    ...options,
    counts: given ?? [50, 200, 500],
    commands,
    operator: options.subject === 'operator' || commands.length === 0,
    operatorBundle: options.operator,
    latencyMs: options.latency,
    warmUpSeconds: options.warmUp,
    repetitions: options.repeat,
    timeoutSeconds: options.timeout,
    json: options.json,
    plot: options.plot,
    journal: options.journal,
  };
}

function counts(text: string): readonly number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.every((number) => Number.isInteger(number) && number >= 1)) return numbers;
  throw new InvalidArgumentError('give whole numbers from 1, with commas between, such as 50,200,500');
}

function collect(text: string, before: readonly CommandLine[] = []): readonly CommandLine[] {
  try {
    return [...before, parseCommandLine(text)];
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

function atLeast(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number) && number >= least) return number;
    throw new InvalidArgumentError(`give a number from ${least}`);
  };
}
