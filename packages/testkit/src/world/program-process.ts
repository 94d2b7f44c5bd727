import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../cluster/free-port.ts';

/** A built program of ours, and how to run it. */
export interface ProgramCommand {
  /** The bundle's `main.js`. */
  readonly bundle: string;
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One line of a program's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A program that runs as a process of its own. */
export interface ProgramProcess {
  readonly pid: number;
  readonly metricsUrl: string;
  readonly healthUrl: string;
  /** Everything it said so far, parsed. */
  log(): readonly LogLine[];
  /** Sends a signal; does not wait. */
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and waits for the end. Returns the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<number | null>;
}

/** Starts a program with its servers on free ports; it is not ready yet when this resolves. Build it first: `npm run build`. */
export async function startProgramProcess({
  bundle,
  command,
  args,
  environment,
}: ProgramCommand): Promise<ProgramProcess> {
  const [metricsPort, healthPort] = [await freePort(), await freePort()];
  const servers = [
    '--metrics-bind-address',
    `127.0.0.1:${metricsPort}`,
    '--health-bind-address',
    `127.0.0.1:${healthPort}`,
  ];
  const child = spawn(process.execPath, [bundle, command, ...servers, ...args], {
    env: { ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: LogLine[] = [];
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.filter((part) => part !== '').map(parseLine));
  });
  const ended = once(child, 'exit').then(() => child.exitCode);
  if (child.pid === undefined) throw new Error(`cannot run ${bundle}: build it with npm run build`);
  return {
    pid: child.pid,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    healthUrl: `http://127.0.0.1:${healthPort}`,
    log: () => lines,
    signal: (name) => void child.kill(name),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
  };
}

function parseLine(line: string): LogLine {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : { message: line };
  } catch {
    // Node itself writes warnings and crash reports as plain text.
    return { message: line };
  }
}
