import { writeFileSync } from 'node:fs';
import pc from 'picocolors';
import { findOperatorBundle } from '../subject/operator-bundle.ts';
import type { JournalEntry } from '../ec2/journal.ts';
import { startBenchWorld } from './bench-world.ts';
import type { BenchWorld } from './bench-world.ts';
import type { BenchOptions } from './options.ts';
import { plotSvg } from './plot.ts';
import { createProgress } from './progress.ts';
import type { BenchRecord } from './record.ts';
import { runBurst } from './run-burst.ts';
import type { RunOptions } from './run-burst.ts';
import { measureStarts, runIdle } from './run-idle.ts';
import { runSettled } from './run-settled.ts';
import type { SettledResult } from './run-settled.ts';
import { commandSubject, operatorSubject } from './subject.ts';
import type { Subject } from './subject.ts';
import { recordTable, settledTable } from './table.ts';
import { burstTargets, idleTargets, settledTargets } from './targets.ts';
import type { Target } from './targets.ts';

/** The EC2 calls of one part of a run. */
interface RunJournal {
  readonly subject: string;
  readonly n: number;
  readonly part: 'burst' | 'settled';
  readonly calls: readonly JournalEntry[];
}

/** All that came out of a run. */
interface Outcome {
  readonly records: BenchRecord[];
  readonly settled: SettledResult[];
  readonly targets: Target[];
  readonly journals: RunJournal[];
  /** One sentence for each run that did not come to its end. */
  readonly failures: string[];
}

/** Runs everything that was asked for and prints it. Resolves to the exit code. */
export async function runBench(options: BenchOptions, signal: AbortSignal): Promise<0 | 1> {
  const bundle = options.operator ? findOperatorBundle(options.operatorBundle) : undefined;
  const { show, clear } = createProgress(process.stderr);
  show('starting an API server and an EC2 emulator');
  const world = await startBenchWorld({ ...options, audit: options.settled }, signal);
  const outcome: Outcome = { records: [], settled: [], targets: [], journals: [], failures: [] };
  try {
    const ours = bundle === undefined ? [] : [operatorSubject(world, bundle)];
    const subjects = [...ours, ...options.commands.map((command) => commandSubject(world, command))];
    for (const subject of subjects) {
      for (const n of options.nodes) {
        const progress = (text: string): void => show(`${subject.name}: ${text}`);
        await runOne({ world, subject, options: { ...options, n, progress } }, outcome).catch((error: unknown) => {
          signal.throwIfAborted();
          outcome.failures.push(
            `${subject.name}, ${n} nodes: ${error instanceof Error ? error.message : String(error)}`,
          );
        });
      }
    }
  } finally {
    clear();
    await world.stop();
  }
  report(outcome, options);
  const isMissed = options.check && outcome.targets.some(({ reached }) => !reached);
  return outcome.failures.length > 0 || isMissed ? 1 : 0;
}

interface OneRun {
  readonly world: BenchWorld;
  readonly subject: Subject;
  readonly options: RunOptions & Pick<BenchOptions, 'settled' | 'repetitions'> & { readonly n: number };
}

async function runOne({ world, subject, options }: OneRun, outcome: Outcome): Promise<void> {
  // Targets are those of our operator; another program is only measured.
  const isOurs = subject.name === 'operator';
  if (options.n === 1) {
    const record = await runIdle(world, subject, options);
    outcome.records.push(record);
    const starts = await measureStarts(world, subject, options);
    if (isOurs) outcome.targets.push(...idleTargets(record, starts));
    return;
  }
  const { record, nodes } = await runBurst(world, subject, options);
  outcome.records.push(record);
  const keepJournal = async (part: RunJournal['part']): Promise<void> => {
    const calls = await world.emulator.controls.journal();
    outcome.journals.push({ subject: subject.name, n: options.n, part, calls });
  };
  await keepJournal('burst');
  if (isOurs) outcome.targets.push(...burstTargets(record, world.bucketSpeed));
  if (!options.settled) return;
  const settled = await runSettled(world, subject, { ...options, nodes });
  outcome.settled.push(settled);
  await keepJournal('settled');
  if (isOurs) outcome.targets.push(...settledTargets(settled));
}

function report(
  { records, settled, targets, journals, failures }: Outcome,
  { json, plot, journal }: BenchOptions,
): void {
  if (records.length > 0) console.log(recordTable(records));
  if (settled.length > 0) console.log(settledTable(settled));
  for (const { what, measured, reached } of targets) {
    console.log(`${reached ? pc.green('✓') : pc.red('✗')} ${what}: ${measured}`);
  }
  for (const failure of failures) console.log(`${pc.red('✗')} ${failure}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(records, undefined, 2)}\n`);
  if (journal !== undefined) writeFileSync(journal, JSON.stringify(journals));
  if (plot !== undefined) writeFileSync(plot, plotSvg(records));
}
