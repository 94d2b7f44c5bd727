import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const GENERATE = join(import.meta.dirname, '../../../scripts/generate.ts');

describe('generated files', () => {
  it('are up to date: if not, run npm run generate', async () => {
    const check = promisify(execFile)(process.execPath, ['--conditions=source', GENERATE, '--check']);
    await expect(check).resolves.toMatchObject({ stdout: '' });
  });
});
