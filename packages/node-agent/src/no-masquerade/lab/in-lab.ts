import process from 'node:process';
import { describe, it } from '@jest/globals';
import { missingForLab } from '@static-ip/testkit';

/** Tests that need the network laboratory: skipped with one line that says why; in CI that is a failure. */
export function inLab(name: string, tests: () => void): void {
  const missing = missingForLab();
  /* oxlint-disable jest/valid-describe-callback, jest/no-disabled-tests -- the callback is handed on; the skip says why */
  if (missing === undefined) return describe(name, tests);
  if (process.env['CI'] !== 'true') {
    process.stderr.write(`skipped: ${missing}\n`);
    return describe.skip(name, tests);
  }
  /* oxlint-enable jest/valid-describe-callback, jest/no-disabled-tests */
  return describe(name, () => {
    it('finds the network laboratory', () => {
      throw new Error(missing);
    });
  });
}
