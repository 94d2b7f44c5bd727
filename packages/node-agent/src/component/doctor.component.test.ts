import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { addNode, startAgentWorld, writeConfig } from './agent-world.test.fixture.ts';
import type { AgentWorld } from './agent-world.test.fixture.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

let world: AgentWorld;
let kubeconfig: string;
beforeAll(async () => {
  world = await startAgentWorld();
  await addNode(world, 'n1');
  kubeconfig = world.cluster.writeKubeconfig({ token: await world.tokenOn('n1') });
}, 120_000);
afterAll(() => world.stop());

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function call(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Result> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], ...environment };
    execFile(process.execPath, [path.join(DIST, 'main.js'), ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

describe('static-ip-agent doctor, the built one as the account of the chart', () => {
  it('prints a table with the file, the tags and who publishes them, and ends with 1 for a problem', async () => {
    const directory = world.directory();
    await writeConfig(directory, { pool: 'a' });
    const { code, stdout } = await call(['doctor', '--kubeconfig', kubeconfig, '--cni-conf-dir', directory], {
      NODE_NAME: 'n1',
    });
    expect(stdout).toMatch(/^SUBJECT +CHECK +VERDICT +FOUND +FIX\n/);
    expect(stdout).toContain(`${directory}/05-cilium.conflist: the first with an entry of Cilium's; it has pool=a`);
    expect(stdout).toMatch(/node +publishing +problem +TagsPublished: would publish pool=a +run the job publish/);
    expect(code).toBe(1);
  });

  it('prints JSON that its schema accepts, also of a pod that is not there and without an API server', async () => {
    const schema: object = JSON.parse(readFileSync(path.join(DIST, 'schemas/cli/doctor.schema.json'), 'utf8'));
    const validate = new Ajv2020({ strictTypes: false }).compile(schema);
    const empty = world.directory();
    for (const words of [
      ['gone', '--kubeconfig', kubeconfig],
      ['--kubeconfig', world.cluster.writeKubeconfig({ server: 'https://127.0.0.1:1' })],
    ]) {
      const { stdout, stderr } = await call([
        'doctor',
        ...words,
        '--cni-conf-dir',
        empty,
        '--node-name',
        'n1',
        '--output',
        'json',
      ]);
      expect(stderr).toBe('');
      const report: unknown = JSON.parse(stdout);
      expect([validate(report), validate.errors]).toEqual([true, null]);
    }
  });
});

describe('static-ip-agent', () => {
  it('tells all mistakes at once, and ends with 2', async () => {
    const wrong = [
      'run',
      '--jobs',
      'publish,other',
      '--vpc-cidr',
      '10.0.0.0/33',
      '--ipam-static-ip-tags',
      'pool',
      '--nod-name',
      'n1',
    ];
    const { code, stderr } = await call(wrong, { REMOVED_TAGS_GRACE: '5' });
    expect(code).toBe(2);
    for (const part of [
      '6 mistakes',
      'unknown flag --nod-name: did you mean --node-name?',
      '--node-name (environment NODE_NAME): it must be given',
      '--jobs (environment JOBS): got "other"',
      '10.0.0.0/33 is no network',
      '"pool" is not key=value',
      '(environment REMOVED_TAGS_GRACE): got "5" in the environment',
    ])
      expect(stderr).toContain(part);
  });

  it('needs no name of a node to clean up, and keeps the variables of its predecessor', async () => {
    const { stderr } = await call(['cleanup'], { VPC_CIDR: '10.0.0.0/8,nonsense' });
    expect(stderr).toContain('one mistake');
    expect(stderr).toContain('--vpc-cidr (environment VPC_CIDR): got "nonsense" in the environment');
  });
});
