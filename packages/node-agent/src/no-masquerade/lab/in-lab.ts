import process from 'node:process';
import { describe, it } from '@jest/globals';
import { missingForLab } from '@static-ip/testkit';

/** Tests that need the network laboratory: skipped with one line that says why; in CI that is a failure. */
export function inLab(name: string, tests: () => void): void {
  const missing = missingForLab();
  if (missing === undefined) return void describe(name, tests);
  if (process.env['CI'] !== 'true') {
    process.stderr.write(`skipped: ${missing}\n`);
    return void describe.skip(name, tests);
  }
  describe(name, () => {
    it('finds the network laboratory', () => {
      throw new Error(missing);
    });
  });
}
