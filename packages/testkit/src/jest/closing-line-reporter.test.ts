import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Standard output, by line, of a process in which the reporter hears of these results and others speak after it. */
async function linesAfter(results: Readonly<Record<string, number>>): Promise<readonly string[]> {
  const reporter = new URL('closing-line-reporter.js', import.meta.url).href;
  const script = `
    const { default: Reporter } = await import(${JSON.stringify(reporter)});
    new Reporter().onRunComplete(new Set(), ${JSON.stringify(results)});
    console.log('said after the run');`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout.trimEnd().split('\n');
}

const none = {
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
};

describe('closing line', () => {
  it('is the last line, whatever else is said', async () => {
    expect(await linesAfter({ ...none, numPassedTests: 12 })).toEqual(['said after the run', '12 passed, 0 failed']);
  });

  it('counts a file that could not run as a failure, and names skipped tests only when there are some', async () => {
    const results = { ...none, numPassedTests: 3, numFailedTests: 1, numRuntimeErrorTestSuites: 1, numPendingTests: 2 };
    expect((await linesAfter(results)).at(-1)).toBe('3 passed, 2 failed, 2 skipped');
  });
});
