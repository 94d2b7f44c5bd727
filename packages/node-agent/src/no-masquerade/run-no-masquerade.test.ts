import { describe, expect, it } from '@jest/globals';
import { createManualClock, createSeededRandom } from '@static-ip/testkit';
import { AgentError } from '../errors.ts';
import { agentPod, podSource } from './agent-pod.test.fixture.ts';
import { applyToModel } from './kernel-model.test.fixture.ts';
import type { KernelState } from './kernel-state.ts';
import type { Masquerade } from './plan.ts';
import { runNoMasquerade } from './run-no-masquerade.ts';

const POD = '10.0.1.40';

/** The job over a modelled kernel in virtual time. */
function start({ synced = Promise.resolve() }: { readonly synced?: Promise<void> } = {}) {
  const clock = createManualClock({ startMs: 0 });
  const stop = new AbortController();
  const pods = podSource([agentPod(POD)]);
  const world = {
    masquerade: 'iptables' as Masquerade,
    failures: 0,
    reads: 0,
    thorough: 0,
    changed: () => undefined as void,
  };
  let state: KernelState = {
    rules: [{ priority: 111, from: `${POD}/32`, to: '10.0.0.0/16', table: 11, protocol: 2 }],
    defaultRoutes: [
      { table: 254, interfaceIndex: 2, metric: 0 },
      { table: 11, interfaceIndex: 3, metric: 0 },
    ],
    links: [],
    addresses: [],
    table: undefined,
    peerMarks: [],
  };
  const states: string[] = [];
  const errors: string[] = [];
  const running = runNoMasquerade(
    {
      nodeName: 'node-1',
      nodeWide: false,
      pods: { ...pods, whenSynced: () => synced },
      kernel: {
        read: async ({ withPeerMarks }) => {
          world.reads += 1;
          if (withPeerMarks) world.thorough += 1;
          return state;
        },
        apply: async (step) => {
          if (world.failures > 0) {
            world.failures -= 1;
            throw new AgentError('refused', 'scripted');
          }
          state = applyToModel(state, step);
        },
      },
      watchKernel: async (onChange, signal) => {
        world.changed = onChange;
        await clock.sleep(Number.MAX_SAFE_INTEGER, signal).catch(() => undefined); // stopped
      },
      readSurroundings: async () => ({
        masquerade: world.masquerade,
        inside: [{ address: '10.0.0.0', bits: 16 }],
        enis: [],
      }),
      clock,
      random: createSeededRandom(1),
      hooks: {
        onState: (plan) => states.push(plan.state),
        onError: (error, { attempt }) => errors.push(`${error instanceof AgentError ? error.code : ''} ${attempt}`),
      },
      resyncMs: 60_000,
    },
    stop.signal,
  );
  return {
    clock,
    pods,
    world,
    states,
    errors,
    kept: () => [...(state.table?.pods ?? [])],
    destroy: () => {
      state = { ...state, table: undefined };
      world.changed();
    },
    end: async () => {
      stop.abort();
      await running;
      return state;
    },
  };
}

describe('the job', () => {
  it('does nothing before the pods are known: every rule would seem a leftover', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const job = start({ synced: promise });
    await job.clock.advance(600_000);
    expect(job.world.reads).toBe(0);
    resolve();
    await job.clock.advance(0);
    expect(job.kept()).toEqual([POD]);
    await job.end();
  });

  it('looks once for a burst of changes in the kernel, at once for a pod, and else only once a period', async () => {
    const job = start();
    await job.clock.advance(0);
    expect(job.world).toMatchObject({ reads: 1, thorough: 1 });
    for (let event = 0; event < 50; event += 1) job.world.changed();
    await job.clock.advance(1_000);
    expect(job.world).toMatchObject({ reads: 2, thorough: 1 });
    job.destroy();
    await job.clock.advance(100);
    expect(job.kept()).toEqual([POD]);
    job.pods.set([]);
    await job.clock.advance(0);
    expect(job.kept()).toEqual([]);
    const { reads } = job.world;
    await job.clock.advance(59_000);
    expect(job.world.reads).toBe(reads);
    await job.clock.advance(2_000);
    expect(job.world).toMatchObject({ reads: reads + 1, thorough: 2 });
    await job.end();
  });

  it('tries again after a refusal with growing pauses, and tells each', async () => {
    const job = start();
    job.world.failures = 3;
    await job.clock.advance(0);
    expect(job.kept()).toEqual([]);
    await job.clock.advance(5_000);
    expect(job.errors).toEqual(['refused 1', 'refused 2', 'refused 3']);
    expect(job.kept()).toEqual([POD]);
    await job.end();
  });

  it('tells each state once, and follows settings that change', async () => {
    const job = start();
    await job.clock.advance(300_000);
    expect(job.states).toEqual(['active']);
    job.world.masquerade = 'bpf';
    await job.clock.advance(61_000);
    expect(job.states).toEqual(['active', 'impossible']);
    expect(job.kept()).toEqual([]);
    await job.end();
  });

  it('keeps its rules when it stops', async () => {
    const job = start();
    await job.clock.advance(0);
    const { rules, table } = await job.end();
    expect(rules).toHaveLength(3);
    expect([...(table?.pods ?? [])]).toEqual([POD]);
  });
});
