import { runBench } from './run-bench.ts';
import { parseBenchOptions } from './options.ts';

const options = parseBenchOptions(process.argv.slice(2));
const abort = new AbortController();
process.once('SIGINT', () => abort.abort(new Error('interrupted')));
process.once('SIGTERM', () => abort.abort(new Error('terminated')));

try {
  process.exitCode = await runBench(options, abort.signal);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
