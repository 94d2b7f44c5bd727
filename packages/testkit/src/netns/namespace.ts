import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { startResident } from './resident.ts';
import type { Resident } from './resident.ts';

/** A network namespace that lives as long as the process that holds it, and that as long as this one. */
export interface Namespace {
  readonly name: string;
  /** Process id of the holder: names the namespace for `ip link set … netns`. */
  readonly pid: number;
  /** A command that runs what follows it in the namespace. */
  readonly prefix: readonly string[];
  /** Runs a program in it and returns what it wrote. @throws Error with what it complained about. */
  readonly run: (command: readonly string[], input?: string) => Promise<string>;
  /** The process in it that opens sockets; started when first asked for. */
  readonly resident: () => Promise<Resident>;
  readonly close: () => Promise<void>;
}

/** Makes an empty namespace with its loopback interface up. */
export async function createNamespace(name: string): Promise<Namespace> {
  // `cat` waits for its standard input to end, which happens also when this process is killed: nothing is left behind.
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'echo ready; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const { pid } = holder;
  if (pid === undefined) throw new Error(`no process holds the namespace ${name}`);
  if ((await readlink(`/proc/${pid}/ns/net`)) === (await readlink('/proc/self/ns/net'))) {
    throw new Error(`the namespace ${name} is the host's own: nothing may be done in it`);
  }
  const prefix = ['nsenter', '--target', String(pid), '--net'];
  let resident: Promise<Resident> | undefined;
  const run: Namespace['run'] = (command, input = '') => capture([...prefix, ...command], input);
  await run(['ip', 'link', 'set', 'lo', 'up']);
  return {
    name,
    pid,
    prefix,
    run,
    resident: () => (resident ??= startResident(prefix)),
    close: async () => {
      await (await resident)?.close();
      const closed = once(holder, 'close');
      holder.stdin.end();
      await closed;
    },
  };
}

function capture([program = '', ...args]: readonly string[], input: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
    if (error === null) return resolve(stdout);
    reject(new Error(`${args.slice(3).join(' ')}: ${stderr.trim() || error.message}\n${input.slice(0, 2_000)}`));
  });
  child.stdin?.on('error', () => undefined); // its exit code says more
  child.stdin?.end(input);
  return promise;
}
