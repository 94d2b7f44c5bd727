import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = path.join(import.meta.dirname, '../../../..');
const DOCKERFILE = readFileSync(path.join(ROOT, 'images/node-agent/Dockerfile'), 'utf8');
const IGNORE_FILE = readFileSync(path.join(ROOT, 'images/node-agent/Dockerfile.dockerignore'), 'utf8');

const COPIES = [...DOCKERFILE.matchAll(/^COPY (\S+) (\S+)$/gm)].map(([, from = '', to = '']) => ({ from, to }));

let app: string;
beforeEach(() => {
  app = mkdtempSync(path.join(tmpdir(), 'static-ip-image-'));
});
afterEach(() => rmSync(app, { recursive: true }));

describe('the image of the agent', () => {
  it('holds all that the program needs: it runs from the copied files alone, with the flags of Node it says', async () => {
    for (const { from, to } of COPIES) {
      const isFile = path.extname(from) !== '';
      cpSync(path.join(ROOT, from), path.join(app, to, isFile ? path.basename(from) : ''), { recursive: true });
    }
    const words =
      /^ENTRYPOINT \["\/usr\/local\/bin\/node", (.+), "\/app\/dist\/main.js"\]$/m.exec(DOCKERFILE)?.[1] ?? '';
    const flags = words.split(', ').map((word) => word.replaceAll('"', ''));
    expect(flags).toContain('--max-semi-space-size=1');
    const run = promisify(execFile)(process.execPath, [...flags, path.join(app, 'dist/main.js'), 'run', '--help'], {
      cwd: app,
      env: {},
    });
    const { stdout, stderr } = await run;
    expect(stdout).toContain('--cni-conf-dir');
    expect(stderr).toBe('');
  });

  it('loads no code of the operator and none of a cloud', () => {
    const maps = globSync('packages/node-agent/dist/**/*.js.map', { cwd: ROOT });
    const sources = maps.flatMap((file): readonly string[] => {
      const map: { readonly sources: readonly string[] } = JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
      return map.sources;
    });
    expect(sources.some((source) => source.includes('/node-agent/') || source.includes('src/publish'))).toBe(true);
    expect(sources.filter((source) => /ipam-operator|static-ip\/src|aws|smithy|undici\//.test(source))).toEqual([]);
  });

  it('is built from a context of nothing but the files it copies', () => {
    const [everything, ...kept] = IGNORE_FILE.trim().split('\n');
    expect(everything).toBe('*');
    expect(kept.filter((line) => line.startsWith('!')).map((line) => line.slice(1))).toEqual(
      COPIES.map(({ from }) => from),
    );
  });
});
