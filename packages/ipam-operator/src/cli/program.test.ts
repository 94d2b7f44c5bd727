import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@static-ip/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';

const ROOT = join(import.meta.dirname, '../../../..');

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
let main: string;

// Built here, into a folder without node_modules: never a stale bundle, and it must stand alone.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operator-bundle-'));
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.ts'), '--outdir', folder]);
  main = join(folder, 'ipam-operator/main.js');
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Call {
  readonly environment?: Readonly<Record<string, string>>;
}

function start(words: readonly string[], { environment = {} }: Call = {}): ChildProcess & { result: Promise<Result> } {
  const child = spawn(main, words, {
    cwd: ROOT,
    env: { PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  const result = once(child, 'close').then(() => ({
    code: child.exitCode,
    stdout: out.join(''),
    stderr: err.join(''),
  }));
  return Object.assign(child, { result });
}

const call = (words: readonly string[], options?: Call): Promise<Result> => start(words, options).result;

function portOf(server: Server): number {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen');
  return bound.port;
}

async function kubeconfigFor(server: string): Promise<string> {
  const file = join(folder, `kubeconfig-${encodeURIComponent(server)}`);
  const cluster = { name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } };
  const user = { name: 'u', user: { token: 'very-secret' } };
  const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
  const config = { apiVersion: 'v1', kind: 'Config', clusters: [cluster], users: [user], contexts: [context] };
  await writeFile(file, JSON.stringify({ ...config, 'current-context': 'x' }));
  return file;
}

describe('ipam-operator', () => {
  it('says its version and its exit codes', async () => {
    const manifest: unknown = JSON.parse(await readFile(join(ROOT, 'packages/ipam-operator/package.json'), 'utf8'));
    const { code, stdout } = await call(['--version']);
    expect(manifest).toMatchObject({ version: stdout.trim() });
    expect(code).toBe(0);
    expect((await call(['--help'])).stdout).toContain('Exit codes: 0 done');
  });

  it('names the nearest command or flag for one that it does not know, and ends with 2', async () => {
    const command = await call(['rum']);
    expect(command).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean run?') });
    const flag = await call(['run', '--resync-intervall', '5s', '--workers=x', '--ec2-rates=A=1/1', '--zzzzzzzzzzz']);
    expect(flag.code).toBe(2);
    expect(flag.stderr).toContain('4 mistakes in the options');
    expect(flag.stderr).toContain('unknown flag --resync-intervall: did you mean --resync-interval?');
    expect(flag.stderr).toContain('unknown flag --ec2-rates: did you mean --ec2-rate?');
    expect(flag.stderr).toContain('unknown flag --zzzzzzzzzzz: see --help for the list');
    expect(flag.stderr).toContain('--workers (environment WORKERS): got "x"; accepted: a whole number from 1 to 1000');
  });

  it('refuses stray words, and values of variables', async () => {
    const result = await call(['plan', 'now'], { environment: { CILIUM_NODES: 'maybe' } });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('unexpected argument "now"');
    expect(result.stderr).toContain('(environment CILIUM_NODES): got "maybe" in the environment');
  });
});

describe('ipam-operator validate-config', () => {
  it('shows the chosen file of a directory with its tags, and warns of others with file, line and column', async () => {
    const { code, stdout } = await call(['validate-config', 'examples/cni']);
    expect(code).toBe(0);
    expect(stdout).toContain('examples/cni/05-cilium.conflist: network cilium, plugin cilium-cni\n\nTAG');
    expect(stdout).toMatch(/anton +test\nkubernetes_cluster +""/);
    expect(stdout).toMatch(/production-eni\.conflist:\d+:\d+: warning: /);
  });

  it('points at the place of an error and ends with 2', async () => {
    const file = join(folder, 'typo.conflist');
    await writeFile(
      file,
      '{"cniVersion":"0.3.1","name":"x","plugins":[\n  {"type":"cilium-cni","ipam":{"static-ip-tags":["a"]}}]}',
    );
    const { code, stdout } = await call(['validate-config', file]);
    expect(stdout).toContain(`${file}:2:49: error: `);
    expect(code).toBe(2);
  });

  it('refuses tags that no address can have', async () => {
    const file = join(folder, 'long.conflist');
    const ipam = { 'static-ip-tags': { pool: 'v'.repeat(257) } };
    await writeFile(file, JSON.stringify({ cniVersion: '0.3.1', name: 'x', plugins: [{ type: 'cilium-cni', ipam }] }));
    const { code, stdout } = await call(['validate-config', file]);
    expect(stdout).toContain(`${file}: error: a tag value has 257 characters`);
    expect(code).toBe(2);
  });

  it('says that a path does not exist, and ends with 2', async () => {
    const { code, stdout } = await call(['validate-config', '/nowhere/at-all']);
    expect(stdout).toContain('/nowhere/at-all:1:1: error: cannot be read');
    expect(code).toBe(2);
  });

  it('prints JSON that its schema accepts, whatever it was given', async () => {
    const schema: object = JSON.parse(
      await readFile(join(folder, 'ipam-operator/schemas/cli/config-validation.schema.json'), 'utf8'),
    );
    const validate = new Ajv2020({ strictTypes: false }).compile(schema);
    const findings = 'packages/cni-config/fixtures/findings';
    for (const path of ['examples/cni', 'examples/cni/05-cilium.conflist', findings, '/nowhere']) {
      const { stdout } = await call(['validate-config', path, '--output', 'json']);
      const report: unknown = JSON.parse(stdout);
      expect([path, validate(report), validate.errors]).toEqual([path, true, null]);
      expect(report).toMatchObject({ kind: 'ConfigValidation', items: expect.arrayContaining([expect.anything()]) });
    }
    const { stdout } = await call(['validate-config', 'examples/cni/05-cilium.conflist', '--output', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ role: 'chosen', tags: { anton: 'test', kubernetes_cluster: '' }, findings: [] }],
    });
  });
});

describe('output that is longer than a pipe takes at once', () => {
  let words: readonly string[];
  beforeAll(async () => {
    const directory = await mkdtemp(join(folder, 'broken-'));
    const files = Array.from({ length: 4_000 }, (_, n) => join(directory, `broken-${n}.conflist`));
    await Promise.all(files.map((file) => writeFile(file, '{')));
    words = ['validate-config', directory, '--output', 'json'];
  });

  it('is written to its end for a slow reader', async () => {
    const child = start(words);
    child.stdout?.pause();
    setTimeout(() => child.stdout?.resume(), 1_000);
    const { code, stdout } = await child.result;
    expect(stdout.length).toBeGreaterThan(1_000_000);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'ConfigValidation' });
    expect(code).toBe(2);
  });

  it('is given up without a word when its reader has seen enough', async () => {
    const child = start(words);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await child.result).toMatchObject({ code: 2, stderr: '' });
  });
});

describe('ipam-operator run', () => {
  const quiet = ['--metrics-bind-address', '0', '--health-bind-address', '0'];
  const environment = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };

  it('refuses a kubeconfig that is not there, or not one, and ends with 2', async () => {
    const broken = join(folder, 'broken-kubeconfig');
    await writeFile(broken, '{ not: [a, kubeconfig');
    for (const file of ['/nowhere/kubeconfig', broken]) {
      const { code, stderr } = await call(['run', ...quiet, '--kubeconfig', file], { environment });
      expect(stderr).toContain(file);
      expect(code).toBe(2);
    }
  });

  it('refuses a provider that is not there, and ends with 2', async () => {
    const kubeconfig = await kubeconfigFor('https://127.0.0.1:1');
    const words = ['run', ...quiet, '--kubeconfig', kubeconfig, '--provider', '@acme/missing'];
    const { code, stderr } = await call(words);
    expect(stderr).toContain('run npm install @acme/missing there');
    expect(code).toBe(2);
  });

  it('says which flag to change when its port is taken, and ends with 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = portOf(server);
    const kubeconfig = await kubeconfigFor('https://127.0.0.1:1');
    const words = ['run', '--kubeconfig', kubeconfig, '--metrics-bind-address', '0'];
    const result = await call([...words, '--health-bind-address', `127.0.0.1:${port}`], { environment });
    server.close();
    expect(result.stderr).toContain('another process listens there; choose another address with --health-bind-address');
    expect(result.code).toBe(1);
  });

  it('keeps trying an API server that cannot be reached, is alive but not ready, and ends with 0 when told to', async () => {
    const kubeconfig = await kubeconfigFor('https://127.0.0.1:1');
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const port = portOf(probe);
    probe.close();
    await once(probe, 'close');
    const words = ['run', '--kubeconfig', kubeconfig, '--metrics-bind-address', '0'];
    const operator = start([...words, '--health-bind-address', `127.0.0.1:${port}`], { environment });
    const url = `http://127.0.0.1:${port}`;
    const ready = await eventually(
      async () => {
        const answer = await fetch(`${url}/readyz`);
        const body: unknown = await answer.json();
        expect(JSON.stringify(body)).toContain('cannot reach the API server');
        return { status: answer.status, body };
      },
      { timeoutMs: 20_000 },
    );
    expect(ready).toMatchObject({ status: 503, body: { checks: [{ name: 'lease', ok: false }] } });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    operator.kill('SIGTERM');
    const { code, stdout, stderr } = await operator.result;
    expect(code).toBe(0);
    expect(stdout).toBe('');
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines.at(0)).toMatchObject({ message: 'Starting', options: { resyncIntervalMs: 60_000 } });
    expect(lines.at(-1)).toMatchObject({ message: 'Stopped' });
    expect(stderr).not.toContain('very-secret');
  });

  it('fails plan with 1 when the API server cannot be reached', async () => {
    const kubeconfig = await kubeconfigFor('https://127.0.0.1:1');
    const { code, stdout, stderr } = await call(['plan', '--kubeconfig', kubeconfig], { environment });
    expect(stderr).toMatch(/^ipam-operator: .*\n(.*\n)*.*127\.0\.0\.1:1/);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});
