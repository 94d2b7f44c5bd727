import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { systemClock } from '@static-ip/kube';
import { createNetnsLab, createSeededRandom, eventually, OUTSIDE } from '@static-ip/testkit';
import type { Cilium, LabPod, NetnsLab } from '@static-ip/testkit';
import { agentPod, podSource } from '../agent-pod.test.fixture.ts';
import { cleanUp } from '../clean-up.ts';
import { runNoMasquerade } from '../run-no-masquerade.ts';
import { watchKernel } from '../watch-kernel.ts';
import { kernelOf, snapshotOf, surroundings } from './agent-in-lab.test.fixture.ts';
import { inLab } from './in-lab.test.fixture.ts';

const NEVER = new AbortController().signal;
const SOON = { timeoutMs: 5_000 };

const podsOf = (...pods: readonly LabPod[]) => pods.map(({ ip }) => agentPod(ip));

inLab('a running agent', () => {
  let lab: NetnsLab;
  let cilium: Cilium;
  let clean: string;
  let stop: AbortController;
  let running: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    lab = await createNetnsLab({ subnets: 'several' });
    cilium = await lab.installCilium({ backend: 'legacy', egressRule: 'vpc', masquerade: 'ens+' });
    clean = await snapshotOf(lab);
  }, 60_000);
  afterAll(() => lab?.close());
  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await cleanUp(kernelOf(lab), surroundings, NEVER);
    expect(await snapshotOf(lab)).toBe(clean);
  });

  /** An agent in this process that is kept from looking by itself: what it notices, an event told it. */
  const start = async (...first: readonly LabPod[]) => {
    const pods = podSource(podsOf(...first));
    const told: string[] = [];
    let passes = 0;
    running = runNoMasquerade(
      {
        nodeName: 'node-1',
        nodeWide: false,
        pods,
        kernel: kernelOf(lab),
        watchKernel: (onChange, signal) =>
          watchKernel({ clock: systemClock, prefix: lab.node.prefix, onChange }, signal),
        readSurroundings: () => Promise.resolve(surroundings),
        clock: systemClock,
        random: createSeededRandom(1),
        resyncMs: 3_600_000,
        hooks: { onState: ({ state }) => told.push(state), onPass: () => (passes += 1) },
      },
      stop.signal,
    );
    await eventually(() => told.length > 0, SOON);
    // The monitors listen by now: what happened while they started has been looked for.
    await eventually(() => passes >= 2, SOON);
    await systemClock.sleep(1_500, NEVER);
    return { pods, told, passes: () => passes };
  };

  it('notices by netlink events what a third party destroys, and does not poll', async () => {
    const { holder0, holder1 } = lab.pods;
    const agent = await start(holder0, holder1);
    const right = await snapshotOf(lab);
    expect(right).not.toBe(clean);
    const idle = agent.passes();
    await systemClock.sleep(1_000, NEVER);
    expect(agent.passes()).toBe(idle);
    const destructions = [
      'nft flush ruleset',
      'nft delete table ip static_ip',
      'nft flush chain ip static_ip keep_source',
      `nft delete element ip static_ip pods { ${holder1.ip} }`,
      'nft add element ip static_ip pods { 10.0.1.41 }',
      'ip rule flush protocol 201',
      `ip rule del priority 200 from ${holder1.ip} table 11 protocol 201`,
    ];
    for (const destruction of destructions) {
      await lab.node.run(['sh', '-c', destruction]);
      await eventually(async () => expect(await snapshotOf(lab)).toBe(right), SOON);
    }
    expect(await lab.ask(lab.podNamespace(holder1), 'tcp', { host: OUTSIDE })).toBe(holder1.publicIp);
    expect(agent.told).toEqual(['active']);
  }, 60_000);

  it('follows the pods and Cilium’s rules as they come and go, and keeps its rules when it stops', async () => {
    const { holder0, holder1 } = lab.pods;
    const agent = await start(holder0);
    const source = (pod: LabPod) => lab.ask(lab.podNamespace(pod), 'udp', { host: OUTSIDE });
    expect(await source(holder0)).toBe(holder0.publicIp);
    await cilium.forgetPod(holder1);
    agent.pods.set(podsOf(holder0, holder1));
    await cilium.addPod(holder1);
    // The rules are in their first order again.
    await cilium.forgetPod(lab.pods.plain1);
    await cilium.addPod(lab.pods.plain1);
    await eventually(async () => expect(await source(holder1)).toBe(holder1.publicIp), SOON);
    agent.pods.set(podsOf(holder1));
    await eventually(async () => expect(await source(holder0)).toBe('203.0.113.10'), SOON);
    const before = await snapshotOf(lab);
    stop.abort();
    await running;
    expect(await snapshotOf(lab)).toBe(before);
    expect(await source(holder1)).toBe(holder1.publicIp);
  }, 60_000);

  it('B64: killed at any moment with pods deleted meanwhile, the next one leaves exactly what is needed', async () => {
    const { holder0, holder1, plain1 } = lab.pods;
    const expected = async (...pods: readonly LabPod[]): Promise<string> => {
      const agent = startProcess(lab, pods);
      await agent.active;
      const text = await snapshotOf(lab);
      await agent.kill();
      return text;
    };
    const withoutOne = await expected(holder0, holder1);
    await cleanUp(kernelOf(lab), surroundings, NEVER);
    for (const afterMs of [250, 300, 350, 400, undefined]) {
      const first = startProcess(lab, [holder0, holder1, plain1]);
      if (afterMs === undefined) await first.active;
      else await systemClock.sleep(afterMs, NEVER);
      await first.kill();
      const second = startProcess(lab, [holder0, holder1]);
      await second.active;
      expect(await snapshotOf(lab)).toBe(withoutOne);
      await second.kill();
      await eventually(async () => expect(await monitorsIn(lab)).toEqual([]), SOON);
      await cleanUp(kernelOf(lab), surroundings, NEVER);
      expect(await snapshotOf(lab)).toBe(clean);
    }
  }, 60_000);
});

/** Programs that still listen for events in the node's namespace. */
async function monitorsIn({ node }: NetnsLab): Promise<readonly string[]> {
  const script = `for p in /proc/[0-9]*; do
    [ "$(readlink $p/ns/net)" = "$(readlink /proc/self/ns/net)" ] && tr '\\0' ' ' <$p/cmdline && echo
  done; true`;
  const commands = (await node.run(['sh', '-c', script])).split('\n');
  return commands.filter((command) => / monitor\b/.test(command));
}

/** The agent as a process of its own, given its pods at once. */
function startProcess(lab: NetnsLab, pods: readonly LabPod[]) {
  const args = [
    '--conditions=source',
    join(import.meta.dirname, 'agent-process.test.fixture.ts'),
    String(lab.node.pid),
  ];
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.write(`${pods.map(({ ip }) => ip).join(' ')}\n`);
  const active = once(child.stdout, 'data');
  active.catch(() => undefined); // nobody may be waiting when it is killed
  return {
    active,
    kill: async () => {
      const closed = once(child, 'exit');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
