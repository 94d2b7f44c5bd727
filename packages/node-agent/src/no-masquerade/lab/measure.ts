/**
 * What the job costs on a node with many pods: `npm run measure -w packages/node-agent`. Needs root, as the laboratory does.
 * Prints a line for each piece of work: its median and maximum in milliseconds of time, the
 * mean of CPU time (programs included), and how many programs it ran.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { systemClock } from '@static-ip/kube';
import { createNetnsLab, missingForLab, VPC } from '@static-ip/testkit';
import type { NetnsLab } from '@static-ip/testkit';
import { applyStep } from '../apply.ts';
import { cleanUp } from '../clean-up.ts';
import { createCommandRunner } from '../command.ts';
import type { RunCommand } from '../command.ts';
import { readKernel } from '../read-kernel.ts';
import { synchronise } from '../synchronise.ts';
import type { KernelPort } from '../synchronise.ts';
import { surroundings } from './agent-in-lab.test.fixture.ts';

const PODS = 250;
const ROUNDS = 15;
const NEVER = new AbortController().signal;
const SELF = [process.execPath, '--conditions=source', import.meta.filename];
const pods = Array.from({ length: PODS }, (_, n) => `10.0.3.${n}`);

/* oxlint-disable no-await-in-loop -- one measurement after the other */

async function main(): Promise<void> {
  const missing = missingForLab();
  if (missing !== undefined) throw new Error(missing);
  const lab = await createNetnsLab({ subnets: 'several' });
  const cilium = await lab.installCilium({ backend: 'nft', egressRule: 'vpc', masquerade: 'ens+' });
  const rules = pods.flatMap((ip) => [
    `rule add priority 20 from all to ${ip}/32 table main protocol kernel`,
    `rule add priority 111 from ${ip}/32 to ${VPC} table 11 protocol kernel`,
  ]);
  await lab.node.run(['ip', '-batch', '-'], `${rules.join('\n')}\n`);
  // From inside, as the agent runs: entering the namespace for each program would cost as much again.
  await once(spawn('nsenter', [...lab.node.prefix.slice(1), ...SELF, 'inside'], { stdio: 'inherit' }), 'close');
  await measureProcess(lab);
  await cilium.remove();
  await lab.close();
}

async function measurePasses(): Promise<void> {
  const count = { programs: 0 };
  const kernel = countingKernel(count);
  const pass = (some: readonly string[], thorough = false) =>
    synchronise(kernel, { ...surroundings, pods: some, nodeWide: false, thorough }, NEVER);
  const timings = new Map<string, number[]>();
  const cpuMs = new Map<string, number>();
  const timed = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    count.programs = 0;
    const ticks = await cpuTicks('self');
    const startedMs = performance.now();
    await work();
    const tookMs = performance.now() - startedMs;
    const title = `${name} (${count.programs} programs)`;
    timings.set(title, [...(timings.get(title) ?? []), tookMs]);
    cpuMs.set(title, (cpuMs.get(title) ?? 0) + ((await cpuTicks('self')) - ticks) * 10);
  };
  const [one = '', ...others] = pods;
  for (let round = 0; round < ROUNDS; round += 1) {
    await timed(`full sync of ${PODS} pods`, () => pass(pods, true));
    await timed('nothing changed', () => pass(pods));
    await timed('one pod less', () => pass(others));
    await timed('one pod more', () => pass([one, ...others]));
    await createCommandRunner()({ program: 'nft', args: ['delete', 'table', 'ip', 'static_ip'] }, NEVER);
    await timed('after a flush of nftables', () => pass(pods));
    await timed('clean-up', () => cleanUp(kernel, surroundings, NEVER));
  }
  for (const [name, all] of timings) print(name, all, (cpuMs.get(name) ?? 0) / all.length);
}

function countingKernel(count: { programs: number }): KernelPort {
  const direct = createCommandRunner();
  const run: RunCommand = (request, signal) => {
    count.programs += 1;
    return direct(request, signal);
  };
  return {
    read: (options, signal) => readKernel({ run, procNet: '/proc/self/net' }, options, signal),
    apply: (step, signal) => applyStep(step, { run, resetTcp: false }, signal),
  };
}

function print(name: string, all: readonly number[], cpuMs: number): void {
  const sorted = all.toSorted((a, b) => a - b);
  const [middle, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(
    (ms = 0) => `${ms.toFixed(1).padStart(6)} ms`,
  );
  say(`${name.padEnd(42)} median ${middle}, most ${most}, CPU ${cpuMs.toFixed(0).padStart(4)} ms`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Memory and idle CPU of the job in a process of its own, without the API server's client at work. */
async function measureProcess(lab: NetnsLab): Promise<void> {
  const args = [
    '--conditions=source',
    join(import.meta.dirname, 'agent-process.test.fixture.ts'),
    String(lab.node.pid),
  ];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.write(`${pods.join(' ')}\n`);
  await systemClock.sleep(5_000, NEVER);
  const before = await cpuTicks(child.pid);
  await systemClock.sleep(10_000, NEVER);
  const ticks = (await cpuTicks(child.pid)) - before;
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const rssKb = Number(/^VmRSS:\s+(?<kb>\d+)/m.exec(status)?.groups?.['kb'] ?? 0);
  say(`idle for 10 s: ${ticks * 10} ms of CPU, RSS ${(rssKb / 1_024).toFixed(0)} MiB`);
  child.kill('SIGKILL');
}

/** User and system time of a process and of the programs it ran, in hundredths of a second (proc(5)). */
async function cpuTicks(pid: number | 'self' | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

await (process.argv[2] === 'inside' ? measurePasses() : main());
