/**
 * Jest reporter: the last line of a run is exactly `N passed, N failed`, with `, N skipped` when tests were skipped,
 * so that a person or a script finds the outcome in one place. A test file that could not run counts as one failure.
 */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest and its own reporters write to stderr; stdout keeps the closing line last for whoever reads only that,
    // and the exit handler keeps it last when both go to one terminal.
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
