import { Command } from 'commander';
import pc from 'picocolors';
import { OPERATOR_BUNDLE } from '../subject/operator-bundle.ts';
import { createNarrator } from './narrator.ts';
import { runDemo } from './run-demo.ts';

const options = new Command('demo')
  .description('Shows tagged nodes get static addresses, on a real API server and an EC2 emulator')
  .option('--keep', 'leave everything running afterwards to play with, until Ctrl-C', false)
  .option('--operator <file>', 'bundle of the operator', OPERATOR_BUNDLE)
  .parse()
  .opts<{ keep: boolean; operator: string }>();

const abort = new AbortController();
process.once('SIGINT', () => abort.abort(new Error('interrupted')));
process.once('SIGTERM', () => abort.abort(new Error('terminated')));

// NO_COLOR, FORCE_COLOR and what kind of output it is are picocolors' business.
const narrator = createNarrator({
  write: (text) => process.stdout.write(text),
  colours: pc,
  isTerminal: process.stdout.isTTY,
  nowMs: () => performance.now(),
});

process.exitCode = await runDemo({ ...options, narrator }, abort.signal);
