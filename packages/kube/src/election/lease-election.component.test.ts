import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, startCluster } from '@static-ip/testkit';
import type { Cluster } from '@static-ip/testkit';

const DURATION_MS = 2_000;
let cluster: Cluster;
const children: ChildProcess[] = [];

beforeAll(async () => {
  cluster = await startCluster();
}, 120_000);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await cluster?.stop();
});

function start(identity: string) {
  const script = new URL('./candidate.test.fixture.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, cluster.kubeconfigPath, identity, String(DURATION_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '--conditions=source' },
  });
  children.push(child);
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { identity, lines, ended, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

const acts = ({ lines }: { readonly lines: readonly string[] }) => lines.filter((line) => line === 'act').length;

describe('leader election between processes', () => {
  it('B56: one leads; stopped past its lease it is replaced, and sends nothing when it goes on; SIGTERM hands over', async () => {
    const all = ['a', 'b', 'c'].map(start);
    const leading = () => all.filter(({ lines }) => lines.includes('acquired'));
    await eventually(() => leading().length === 1, { timeoutMs: 8_000 });
    const [first] = leading();
    if (first === undefined) throw new Error('nobody leads');

    first.kill('SIGSTOP');
    await eventually(() => leading().length === 2, { timeoutMs: 8_000 });
    const second = leading().find((one) => one !== first);
    if (second === undefined) throw new Error('nobody took over');
    const before = acts(first);
    first.kill('SIGCONT');
    expect(await first.ended).toBe(1);
    expect(first.lines.at(-1)).toBe('lost');
    expect(acts(first)).toBe(before);

    second.kill('SIGTERM');
    const stoppedMs = performance.now();
    expect(await second.ended).toBe(0);
    expect(second.lines.at(-1)).toBe('released');
    await eventually(() => leading().length === 3, { timeoutMs: 8_000, intervalMs: 5 });
    // Far sooner than a lease that has to run out.
    expect(performance.now() - stoppedMs).toBeLessThan(DURATION_MS);
    const third = leading().find((one) => one !== first && one !== second);
    third?.kill('SIGTERM');
    expect(await third?.ended).toBe(0);
  }, 60_000);

  it('B56: leads well within a second when the lease is free', async () => {
    const startedMs = performance.now();
    const alone = start('alone');
    await eventually(() => alone.lines.includes('acquired'), { timeoutMs: 8_000, intervalMs: 5 });
    expect(performance.now() - startedMs).toBeLessThan(4_000);
    alone.kill('SIGTERM');
    expect(await alone.ended).toBe(0);
  });
});
