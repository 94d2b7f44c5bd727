import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = path.join(import.meta.dirname, '../../../..');
const DOCKERFILE = readFileSync(path.join(ROOT, 'images/ipam-operator/Dockerfile'), 'utf8');
const IGNORE_FILE = readFileSync(path.join(ROOT, 'images/ipam-operator/Dockerfile.dockerignore'), 'utf8');

const COPIES = [...DOCKERFILE.matchAll(/^COPY (\S+) (\S+)$/gm)].map(([, from = '', to = '']) => ({ from, to }));

let app: string;
beforeEach(() => {
  app = mkdtempSync(path.join(tmpdir(), 'static-ip-image-'));
});
afterEach(() => rmSync(app, { recursive: true }));

describe('the image of the operator', () => {
  it('holds all that the program needs: it runs from the copied files alone', async () => {
    for (const { from, to } of COPIES) {
      const isFile = path.extname(from) !== '';
      cpSync(path.join(ROOT, from), path.join(app, to, isFile ? path.basename(from) : ''), { recursive: true });
    }
    const program = /^ENTRYPOINT \["\/nodejs\/bin\/node", "\/app\/(.+)"\]$/m.exec(DOCKERFILE)?.[1] ?? '';
    const run = promisify(execFile)(process.execPath, [path.join(app, program), 'run', '--help'], {
      cwd: app,
      env: {},
    });
    const { stdout, stderr } = await run;
    expect(stdout).toContain('--lease-namespace');
    expect(stderr).toBe('');
  });

  it('is built from a context of nothing but the files it copies', () => {
    const [everything, ...kept] = IGNORE_FILE.trim().split('\n');
    expect(everything).toBe('*');
    expect(kept.filter((line) => line.startsWith('!')).map((line) => line.slice(1))).toEqual(
      COPIES.map(({ from }) => from),
    );
  });
});
