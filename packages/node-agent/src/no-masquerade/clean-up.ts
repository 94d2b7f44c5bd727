import { planNoMasquerade } from './plan.ts';
import type { Plan, Surroundings } from './plan.ts';
import type { KernelPort } from './synchronise.ts';

/**
 * Removes every trace of this job and of its predecessor from the kernel; returns what was done.
 * @throws AgentError when the kernel refused: call it again.
 */
export async function cleanUp(kernel: KernelPort, surroundings: Surroundings, signal: AbortSignal): Promise<Plan> {
  const state = await kernel.read({ withPeerMarks: true }, signal);
  const plan = planNoMasquerade({ ...surroundings, kernel: state, pods: [], nodeWide: false });
  for (const step of plan.steps) {
    // oxlint-disable-next-line no-await-in-loop -- their order matters
    await kernel.apply(step, signal);
  }
  return plan;
}
