import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startProgramProcess } from './program-process.ts';
import type { ProgramProcess } from './program-process.ts';

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

/** An operator that runs as a process of its own. */
export type OperatorProcess = ProgramProcess;

/** Starts `ipam-operator run`; it is not ready yet when this resolves. Build the bundle first: `npm run build`. */
export function startOperatorProcess(command: OperatorCommand): Promise<OperatorProcess> {
  return startProgramProcess({
    bundle: BUNDLE,
    command: 'run',
    args: ['--kubeconfig', command.kubeconfig, ...(command.args ?? [])],
    environment: { ...cloudEnvironment(command.endpoint), ...command.environment },
  });
}

/** What a command that ends by itself has said. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command that ends by itself is run. */
export interface OneCommand extends Omit<OperatorCommand, 'args'> {
  /** Its abort kills the command (SIGKILL). */
  readonly kill?: AbortSignal;
}

/** Runs one of the operator's commands that end by themselves, such as `plan`. Build the bundle first: `npm run build`. */
export async function runOperatorCommand(words: readonly string[], command: OneCommand): Promise<CommandResult> {
  const child = spawn(process.execPath, [BUNDLE, ...words, '--kubeconfig', command.kubeconfig], {
    env: { ...cloudEnvironment(command.endpoint), ...command.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  command.kill?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => (said[name] += chunk));
  }
  await once(child, 'close');
  return { code: child.exitCode, ...said };
}

/** Nothing but what a pod would have: no variable of the machine but PATH reaches the operator. */
function cloudEnvironment(endpoint: string): Readonly<Record<string, string | undefined>> {
  return {
    PATH: process.env['PATH'],
    AWS_ENDPOINT_URL_EC2: endpoint,
    AWS_ENDPOINT_URL_SERVICE_QUOTAS: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'operator',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
