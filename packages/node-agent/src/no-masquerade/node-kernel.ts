import { applyStep } from './apply.ts';
import { createCommandRunner } from './command.ts';
import type { FlowOptions } from './flows.ts';
import { readKernel } from './read-kernel.ts';
import type { KernelPort } from './synchronise.ts';

export interface NodeKernelOptions extends FlowOptions {
  /** A command to run programs under, e.g. in another network namespace. */
  readonly prefix?: readonly string[] | undefined;
  /** The network part of /proc of that namespace. Default: this process's. */
  readonly procNet?: string | undefined;
}

/** The kernel of the network namespace that this process (or `prefix`) is in. */
export function createNodeKernel({ prefix, procNet = '/proc/self/net', resetTcp }: NodeKernelOptions): KernelPort {
  const run = createCommandRunner(prefix);
  return {
    read: (options, signal) => readKernel({ run, procNet }, options, signal),
    apply: (step, signal) => applyStep(step, { run, resetTcp }, signal),
  };
}
