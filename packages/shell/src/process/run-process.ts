import process from 'node:process';
import { tooOldNode } from './app/node-version.ts';

const complaint = tooOldNode(process.versions.node);
if (complaint !== undefined) {
  process.stderr.write(`${complaint}\n`);
  process.exit(2);
}

const stop = new AbortController();
let onCrash = (error: unknown): void => {
  process.stderr.write(`ipam-operator: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
};

// Also rejections that nobody handled: Node turns them into this.
process.on('uncaughtException', (error) => {
  onCrash(error);
  process.exit(1);
});
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  // The second one finds no handler and ends the process at once.
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
}

// Loaded only now: older versions of Node could not even read it.
const { runProgram } = await import('./cli/program.ts');
const code = await runProgram(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  workingDirectory: process.cwd(),
  signal: stop.signal,
  onCrash: (handler) => {
    onCrash = handler;
  },
});
process.exit(code);
