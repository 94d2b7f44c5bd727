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
