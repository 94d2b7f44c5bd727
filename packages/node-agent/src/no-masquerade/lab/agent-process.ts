/**
 * The agent's job as a process of its own, to be killed: `agent-process.ts HOLDER_PID`. The pods that hold an address come
 * as lines of addresses on standard input; a line is written for each state.
 */
import process from 'node:process';
import { createInterface } from 'node:readline';
import { systemClock, systemRandom } from '@static-ip/kube';
import { agentPod, podSource } from '../agent-pod.fixture.ts';
import { createNodeKernel } from '../node-kernel.ts';
import { runNoMasquerade } from '../run-no-masquerade.ts';
import { watchKernel } from '../watch-kernel.ts';
import { surroundings } from './agent-in-lab.ts';

const pid = process.argv[2] ?? '';
const prefix = ['nsenter', '--target', pid, '--net'];
const pods = podSource([]);
const { promise: given, resolve } = Promise.withResolvers<void>();
createInterface({ input: process.stdin }).on('line', (line) => {
  pods.set(
    line
      .split(' ')
      .filter((ip) => ip !== '')
      .map((ip) => agentPod(ip)),
  );
  resolve();
});

await runNoMasquerade(
  {
    nodeName: 'node-1',
    nodeWide: false,
    pods: { ...pods, whenSynced: () => given },
    kernel: createNodeKernel({ prefix, procNet: `/proc/${pid}/net`, resetTcp: false }),
    watchKernel: (onChange, signal) => watchKernel({ clock: systemClock, prefix, onChange }, signal),
    readSurroundings: () => Promise.resolve(surroundings),
    clock: systemClock,
    random: systemRandom,
    hooks: { onState: ({ state }) => process.stdout.write(`${state}\n`) },
  },
  new AbortController().signal,
);
