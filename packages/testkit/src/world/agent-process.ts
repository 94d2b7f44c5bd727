import { fileURLToPath } from 'node:url';
import { startProgramProcess } from './program-process.ts';
import type { ProgramProcess } from './program-process.ts';

/** The built agent: what is shipped, not its sources. */
export const AGENT_BUNDLE = fileURLToPath(new URL('../../../node-agent/dist/main.js', import.meta.url));

export interface AgentCommand {
  /** One of its commands that last, such as `publish`. */
  readonly command: string;
  readonly nodeName: string;
  readonly kubeconfig: string;
  readonly args?: readonly string[];
}

/** Starts the node agent; it is not ready yet when this resolves. Build the bundle first: `npm run build`. */
export function startAgentProcess({ command, nodeName, kubeconfig, args = [] }: AgentCommand): Promise<ProgramProcess> {
  return startProgramProcess({
    bundle: AGENT_BUNDLE,
    command,
    args: ['--kubeconfig', kubeconfig, ...args],
    environment: { PATH: process.env['PATH'], NODE_NAME: nodeName },
  });
}
