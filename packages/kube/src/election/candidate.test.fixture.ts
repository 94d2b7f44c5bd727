/**
 * A candidate as a process of its own, for tests that stop and kill it. Arguments: kubeconfig, identity, duration in ms.
 * While leading it "acts" every few milliseconds, each time through its fence. Each event is a line on stdout.
 */
import { writeSync } from 'node:fs';
import { createKubeClient } from '../client/create-kube-client.ts';
import { systemClock, systemRandom } from '../clock/system-clock.ts';
import { createLeaseElection } from './lease-election.ts';

const [kubeconfig, identity = '', durationMs] = process.argv.slice(2);
const stdout = 1;
const say = (line: string): void => void writeSync(stdout, `${line}\n`);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('SIGTERM')));

const client = createKubeClient({ kubeconfig, userAgent: identity, fieldManager: 'test', clock: systemClock });
const election = createLeaseElection({
  client,
  namespace: 'default',
  name: 'b56',
  identity,
  clock: systemClock,
  random: systemRandom,
  leaseDurationMs: Number(durationMs),
  hooks: { onAcquired: () => say('acquired') },
});

try {
  await election.run(async (signal, fence) => {
    while (!signal.aborted) {
      fence.enter();
      say('act');
      await systemClock.sleep(5, signal);
    }
  }, stop.signal);
  say('released');
} catch {
  say('lost');
  process.exitCode = 1;
}
await client.close();
