import { AgentError } from '../errors.ts';
import { desiredShape } from './own-table.ts';
import { planNoMasquerade } from './plan.ts';
import type { Plan, PlanInput, Step, Surroundings } from './plan.ts';
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

/** Passes over one kernel. */
export interface Synchroniser {
  /**
   * Reads, plans and applies once; returns what was done.
   * @throws AgentError when the kernel refused: it is to be read again; `config` when nothing says what is inside.
   */
  readonly pass: (input: PassInput, signal: AbortSignal) => Promise<Plan>;
}

/** Makes a synchroniser, which remembers how this version of nft prints our table. */
export function createSynchroniser(kernel: KernelPort): Synchroniser {
  let knownShape: PlanInput['knownShape'];

  const learnShape = async (plan: Plan, signal: AbortSignal): Promise<void> => {
    if (plan.table === undefined || !plan.replacesTable) return;
    const { table } = await kernel.read({ withPeerMarks: false }, signal);
    if (table !== undefined) knownShape = { desired: desiredShape(plan.table), listed: table.shape };
  };

  const pass = async (input: PassInput, signal: AbortSignal): Promise<Plan> => {
    if (input.inside.length === 0) {
      throw new AgentError('config', 'no network of the VPC is known: give --vpc-cidr (or VPC_CIDR)');
    }
    const state = await kernel.read({ withPeerMarks: input.thorough }, signal);
    const plan = planNoMasquerade({ ...input, kernel: state, knownShape, recheckFlows: input.thorough });
    for (const step of plan.steps) {
      // oxlint-disable-next-line no-await-in-loop -- their order matters
      await kernel.apply(step, signal);
    }
    await learnShape(plan, signal);
    return plan;
  };
  return { pass };
}
