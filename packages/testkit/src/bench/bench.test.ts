import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

function runBench(...flags: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    // With CI set, colours are on though nobody looks.
    const env = { ...process.env, NO_COLOR: '1' };
    execFile(process.execPath, ['--conditions=source', MAIN, ...flags], { env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

describe('bench', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'static-ip-bench-'));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('measures our operator, and another program that does nothing fails by name without spoiling the rest', async () => {
    const json = path.join(directory, 'records.json');
    const plot = path.join(directory, 'plot.svg');
    const subjects = ['--subject=operator', '--subject-command=idler=sleep 60'];
    const { code, output } = await runBench(
      ...subjects,
      '--nodes=3',
      '--warm-up=1',
      '--timeout=10',
      `--json=${json}`,
      `--plot=${plot}`,
    );
    expect(output).toMatch(/✗ idler, 3 nodes: 0 of 3 right after 10 s: bench-00001 names no address; /);
    expect(code).toBe(1);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toEqual([
      {
        subject: 'operator',
        flow: 'node',
        n: 3,
        seconds: expect.any(Number),
        floorSeconds: 0,
        ratio: null,
        latencySeconds: { p50: expect.any(Number), p99: expect.any(Number) },
        calls: expect.objectContaining({ AssociateAddress: 3 }),
        throttled: 0,
        violations: 0,
        peakRssBytes: expect.any(Number),
        cpuSeconds: expect.any(Number),
      },
    ]);
    expect(readFileSync(plot, 'utf8')).toContain('operator, node');
  }, 120_000);

  it('measures pods with an Eip each that come and go, and that come back', async () => {
    const json = path.join(directory, 'records.json');
    const flags = ['--pods=3', '--warm-up=1', `--json=${json}`];
    const created = await runBench('--flow=eip', '--settled', ...flags);
    expect(created.output).toContain('✓ 3 pods settled: no Kubernetes writes: 0');
    expect(created.code).toBe(0);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toEqual([
      expect.objectContaining({ flow: 'eip-create', n: 3, violations: 0, throttled: 0 }),
      expect.objectContaining({ flow: 'eip-delete', n: 3, violations: 0, throttled: 0 }),
    ]);
    const followed = await runBench('--flow=eip-follow', '--timeout=30', '--bucket-speed=20', ...flags);
    expect(followed.code).toBe(0);
    const [record] = JSON.parse(readFileSync(json, 'utf8'));
    const calls = { AssociateAddress: 3, DisassociateAddress: 3 };
    expect(record).toMatchObject({ flow: 'eip-follow', n: 3, violations: 0, calls });
    expect(record.calls).not.toHaveProperty('AllocateAddress');
  }, 120_000);

  it('refuses a number of nodes for pods, and says which flag is meant', async () => {
    const { code, output } = await runBench('--flow=eip', '--nodes=5');
    expect(output).toContain('--nodes is for --flow node: give --pods for eip');
    expect(code).toBe(1);
  });

  it('says that a subject has ended, with the end of its log', async () => {
    const { code, output } = await runBench('--subject-command=quitter=sh -c "echo no cloud >&2; exit 7"', '--nodes=2');
    expect(output).toContain('quitter, 2 nodes: the subject has ended: no cloud');
    expect(code).toBe(1);
  }, 120_000);

  it('refuses numbers of nodes that are none, with an example', async () => {
    const { code, output } = await runBench('--nodes=50,many');
    expect(output).toContain('give whole numbers from 1, with commas between, such as 50,200,500');
    expect(code).toBe(1);
  });
});
