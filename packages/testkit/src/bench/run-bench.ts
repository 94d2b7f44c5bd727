import { writeFileSync } from 'node:fs';
import pc from 'picocolors';
import { findOperatorBundle } from '../subject/operator-bundle.ts';
import { startBenchWorld } from './bench-world.ts';
import { runNodes } from './nodes/run-nodes.ts';
import type { BenchOptions, FlowName } from './options.ts';
import type { OneRun, Outcome } from './outcome.ts';
import { plotSvg } from './plot.ts';
import { followPods } from './pods/follow-pods.ts';
import { runPods } from './pods/run-pods.ts';
import { createProgress } from './progress.ts';
import { commandSubject, operatorSubject } from './subject.ts';
import { recordTable, settledTable } from './table.ts';

const FLOWS: Readonly<Record<FlowName, (run: OneRun, outcome: Outcome) => Promise<void>>> = {
  node: runNodes,
  eip: runPods,
  'eip-follow': followPods,
};

/** Runs everything that was asked for and prints it. Resolves to the exit code. */
export async function runBench(options: BenchOptions, signal: AbortSignal): Promise<0 | 1> {
  const bundle = options.operator ? findOperatorBundle(options.operatorBundle) : undefined;
  const { show, clear } = createProgress(process.stderr);
  show('starting an API server and an EC2 emulator');
  const hasEips = options.flow !== 'node';
  const world = await startBenchWorld({ ...options, audit: options.settled, hasEips }, signal);
  const outcome: Outcome = { records: [], settled: [], targets: [], journals: [], failures: [] };
  try {
    const ours = bundle === undefined ? [] : [operatorSubject(world, bundle)];
    const subjects = [...ours, ...options.commands.map((command) => commandSubject(world, command))];
    for (const subject of subjects) {
      for (const n of options.counts) {
        const progress = (text: string): void => show(`${subject.name}: ${text}`);
        const run: OneRun = { world, subject, options: { ...options, n, progress } };
        await FLOWS[options.flow](run, outcome).catch((error: unknown) => {
          signal.throwIfAborted();
          outcome.failures.push(`${subject.name}, ${n} ${hasEips ? 'pods' : 'nodes'}: ${describe(error)}`);
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

/** The message with those of its causes: a watch breaks for a reason. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`;
}
