import { AgentError } from '../errors.ts';
import { planNoMasquerade } from './plan.ts';
import type { Plan, Step, Surroundings } from './plan.ts';
import type { KernelState } from './kernel-state.ts';

/** The kernel of the node as this job uses it. */
export interface KernelPort {
  readonly read: (options: { readonly withPeerMarks: boolean }, signal: AbortSignal) => Promise<KernelState>;
  readonly apply: (step: Step, signal: AbortSignal) => Promise<void>;
}

/** What one pass looks at beside the pods. */
export interface PassInput extends Surroundings {
  readonly pods: readonly string[];
  readonly nodeWide: boolean;
  /** A pass that also looks for leftovers of other programs and of connections: the first, and now and then. */
  readonly thorough: boolean;
}

/**
 * One pass: reads, plans and applies; returns what was done.
 * @throws AgentError when the kernel refused: it is to be read again; `config` when nothing says what is inside.
 */
export async function synchronise(kernel: KernelPort, input: PassInput, signal: AbortSignal): Promise<Plan> {
  // Where no pod holds an address there is nothing to keep inside of, only leftovers to remove.
  const isNeeded = input.pods.length > 0 || input.nodeWide;
  if (isNeeded && input.inside.length === 0) {
    throw new AgentError('config', 'no network of the VPC is known: give --vpc-cidr (or VPC_CIDR)');
  }
  const state = await kernel.read({ withPeerMarks: input.thorough }, signal);
  const plan = planNoMasquerade({ ...input, kernel: state, recheckFlows: input.thorough });
  for (const step of plan.steps) {
    // oxlint-disable-next-line no-await-in-loop -- their order matters
    await kernel.apply(step, signal);
  }
  return plan;
}
