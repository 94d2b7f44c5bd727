import type { Terminal } from '@static-ip/shell';
import type { AgentOptions } from '../app/options.ts';
import { cleanUp } from '../no-masquerade/clean-up.ts';
import { createNodeKernel } from '../no-masquerade/node-kernel.ts';

/**
 * `static-ip-agent cleanup`: takes every rule of ours, and of the predecessor, out of the kernel. Resolves to the exit code.
 * @throws AgentError when a program of the system is missing or refuses: run it again.
 */
export async function cleanup(
  options: AgentOptions,
  { stdout, signal }: Pick<Terminal, 'stdout' | 'signal'>,
): Promise<0> {
  const kernel = createNodeKernel({ resetTcp: options.resetTcp });
  const surroundings = { masquerade: 'off', inside: options.vpcCidrs, enis: [] } as const;
  const { steps } = await cleanUp(kernel, surroundings, signal);
  stdout.write(
    steps.length === 0 ? 'Nothing of ours was there.\n' : `Removed what was ours, in ${steps.length} steps.\n`,
  );
  return 0;
}
