import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../cluster/free-port.ts';

/** The built operator: what is shipped, not its sources. */
const BUNDLE = fileURLToPath(new URL('../../../ipam-operator/dist/main.js', import.meta.url));

export interface OperatorCommand {
  readonly kubeconfig: string;
  /** The EC2 endpoint. */
  readonly endpoint: string;
  /** Flags beside those that make it run here. */
  readonly args?: readonly string[];
  /** Variables beside those that make it run here; undefined removes one. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** One line of the operator's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** An operator that runs as a process of its own. */
export interface OperatorProcess {
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

/** Starts `ipam-operator run`; it is not ready yet when this resolves. Build the bundle first: `npm run build`. */
export async function startOperatorProcess(command: OperatorCommand): Promise<OperatorProcess> {
  const [metricsPort, healthPort] = [await freePort(), await freePort()];
  const args = [
    ...['run', '--kubeconfig', command.kubeconfig],
    ...['--metrics-bind-address', `127.0.0.1:${metricsPort}`, '--health-bind-address', `127.0.0.1:${healthPort}`],
    ...(command.args ?? []),
  ];
  const child = spawn(process.execPath, [BUNDLE, ...args], {
    env: { ...cloudEnvironment(command.endpoint), ...command.environment },
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
  if (child.pid === undefined) throw new Error(`cannot run ${BUNDLE}: build it with npm run build`);
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

/** Nothing but what a pod would have: no variable of the machine but PATH reaches the operator. */
export function cloudEnvironment(endpoint: string): Readonly<Record<string, string | undefined>> {
  return {
    PATH: process.env['PATH'],
    AWS_ENDPOINT_URL_EC2: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'operator',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_EC2_METADATA_DISABLED: 'true',
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
