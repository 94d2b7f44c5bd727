import type { JournalEntry } from '../ec2/journal.ts';
import type { BenchWorld } from './bench-world.ts';
import type { RunOptions } from './measure.ts';
import type { BenchFlow, BenchRecord } from './record.ts';
import type { SettledResult } from './run-settled.ts';
import type { Subject } from './subject.ts';
import type { Target } from './targets.ts';

/** One subject that is measured with one number of nodes or pods. */
export interface OneRun {
  readonly world: BenchWorld;
  readonly subject: Subject;
  readonly options: RunOptions & {
    readonly n: number;
    readonly settled: boolean;
    /** Nodes that are measured one after the other when `n` is 1. */
    readonly repetitions: number;
  };
}

/** The EC2 calls of one part of a run. */
interface RunJournal {
  readonly subject: string;
  readonly n: number;
  readonly part: BenchFlow | 'settled';
  readonly calls: readonly JournalEntry[];
}

/** All that came out of the runs so far. */
export interface Outcome {
  readonly records: BenchRecord[];
  readonly settled: SettledResult[];
  readonly targets: Target[];
  readonly journals: RunJournal[];
  /** One sentence for each run that did not come to its end. */
  readonly failures: string[];
}

/** Keeps a measurement with its calls. Targets are those of our operator; another program is only measured. */
export async function keepRecord(
  { world, subject }: OneRun,
  { record, targets }: { readonly record: BenchRecord; readonly targets: readonly Target[] },
  outcome: Outcome,
): Promise<void> {
  outcome.records.push(record);
  await keepJournal(world, { subject: subject.name, n: record.n, part: record.flow }, outcome);
  if (isOurs(subject)) outcome.targets.push(...targets);
}

/** The same for what was done to a settled world. */
export async function keepSettled(
  { world, subject }: OneRun,
  { result, targets }: { readonly result: SettledResult; readonly targets: readonly Target[] },
  outcome: Outcome,
): Promise<void> {
  outcome.settled.push(result);
  await keepJournal(world, { subject: subject.name, n: result.n, part: 'settled' }, outcome);
  if (isOurs(subject)) outcome.targets.push(...targets);
}

function isOurs({ name }: Subject): boolean {
  return name === 'operator';
}

async function keepJournal(
  { emulator }: BenchWorld,
  run: Omit<RunJournal, 'calls'>,
  { journals }: Outcome,
): Promise<void> {
  journals.push({ ...run, calls: await emulator.controls.journal() });
}
