import type { ServerProcess } from '../cluster/server-process.ts';
import { startServer } from '../cluster/server-process.ts';
import { subjectEnvironment } from '../subject/environment.ts';
import { startOperatorProcess } from '../subject/operator-process.ts';
import type { BenchWorld } from './bench-world.ts';

/** What is measured: a program that is always a process of its own. */
export interface Subject {
  readonly name: string;
  /**
   * Starts it; resolves when it is ready, or started where that cannot be asked.
   * @throws ServerStartError with the end of its log
   */
  readonly start: (options?: StartOptions) => Promise<ServerProcess>;
}

interface StartOptions {
  /** How often the subject is to compare the cloud with what is wanted; a command may not know such an option. */
  readonly resyncSeconds?: number;
}

/**
 * Rates below the published ones, for buckets that are sped up. A delay of our own is then worth more tokens than at
 * normal speed, so the margin is wider than that of the operator's own limits.
 */
const SPED_UP_RATES = {
  AssociateAddress: { perSecond: 4.5, burst: 25 },
  DisassociateAddress: { perSecond: 4.5, burst: 25 },
  AllocateAddress: { perSecond: 4.5, burst: 25 },
  ReleaseAddress: { perSecond: 4.5, burst: 25 },
  DescribeAddresses: { perSecond: 18, burst: 50 },
  DescribeNetworkInterfaces: { perSecond: 18, burst: 50 },
};

/** The operator of this repository. Where the buckets of the cloud are sped up, it is told so. */
export function operatorSubject(world: BenchWorld, bundle: string): Subject {
  const { cluster, emulator, operatorAccess, signal } = world;
  const environment = subjectEnvironment(operatorAccess.kubeconfig, emulator);
  const rates = Object.entries(SPED_UP_RATES).map(
    ([action, { perSecond, burst }]) => `--ec2-rate=${action}=${perSecond * world.bucketSpeed}/${burst}`,
  );
  const flags = [
    '--cluster-name=bench',
    `--lease-namespace=${operatorAccess.namespace}`,
    ...(world.bucketSpeed === 1 ? [] : rates),
  ];
  return {
    name: 'operator',
    start: ({ resyncSeconds } = {}) => {
      const resync = resyncSeconds === undefined ? [] : [`--resync-interval=${resyncSeconds}s`];
      const options = { bundle, flags: [...flags, ...resync], environment, directory: cluster.dataDir };
      return startOperatorProcess(options, signal);
    },
  };
}

/**
 * Any program, by its command line. The shell replaces itself by it, so that what is measured is the program.
 * `{kubeconfig}` and `{endpoint}` in the command are filled in.
 */
export function commandSubject(world: BenchWorld, { name, command }: CommandLine): Subject {
  const { cluster, emulator, signal } = world;
  const filled = command.replaceAll('{kubeconfig}', cluster.kubeconfigPath).replaceAll('{endpoint}', emulator.endpoint);
  return {
    name,
    start: () =>
      startServer(
        {
          name: 'subject',
          program: '/bin/sh',
          args: ['-c', `exec ${filled}`],
          environment: subjectEnvironment(cluster.kubeconfigPath, emulator),
          directory: cluster.dataDir,
          // Nothing is known about it; the warm-up time is what it gets.
          isReady: () => Promise.resolve(true),
          readyWithinMs: 1_000,
        },
        signal,
      ),
  };
}

export interface CommandLine {
  readonly name: string;
  readonly command: string;
}

/** Takes `name=command` apart; without a name the program is its name. @throws Error when there is no command */
export function parseCommandLine(text: string): CommandLine {
  const named = /^([A-Za-z][\w.-]*)=(.+)$/s.exec(text);
  const command = (named?.[2] ?? text).trim();
  const program = command.split(/\s+/)[0] ?? '';
  if (program === '') throw new Error('--subject-command is empty: give a command line, or name=command line');
  return { name: named?.[1] ?? program.split('/').at(-1) ?? program, command };
}
