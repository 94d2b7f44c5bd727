import { describe, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import type { SteppedCloud, MemoryCloud } from '../memory/index.ts';
import { createMemoryCloud, createPrefixCloud, createTwoStepCloud } from '../memory/index.ts';
import type { Fence } from '../ports.ts';
import { contractCases } from './contract-cases.ts';
import type { Ability, ContractHarness, ContractWorld } from './harness.ts';

const QUOTA = 30;
const ABILITIES = [
  'addAutomatic',
  'addStarting',
  'failNext',
  'freshReads',
  'hangNext',
  'loseFence',
  'loseReplyOf',
  'removeInstance',
  'staleReads',
] as const satisfies readonly Ability[];

function worldOn(clock: ReturnType<typeof createManualClock>, cloud: MemoryCloud): ContractWorld {
  const right = new AbortController();
  const fence: Fence = {
    enter: () => {
      right.signal.throwIfAborted();
      return right.signal;
    },
  };
  const provider = cloud.provider({ fence });
  const { createsFromPool, podTargets } = provider.capabilities;
  const holderOf = (ip: string | undefined) => cloud.addressIds().find((id) => cloud.ipOf(id) === ip) ?? '';
  return {
    provider,
    elapse: (ms) => clock.advance(ms),
    addInstance: async () => cloud.addInstance({ location: 'here' }),
    addSupply: async (supply) => {
      if (createsFromPool) cloud.addPool({ ...supply, location: 'here' });
      else cloud.addAddresses({ ...supply, location: 'here' });
    },
    occupy: async (ref) => {
      const [theirs = ''] = cloud.addAddresses({ tags: { owner: 'somebody else' }, count: 1, location: 'here' });
      cloud.attachOutside(theirs, ref);
    },
    vacate: async (ref) => cloud.detachOutside(holderOf(cloud.ipOn(ref))),
    ipOn: async (ref) => cloud.ipOn(ref),
    close: async () => {},
    ...(podTargets && { addPod: async ({ instanceId }) => cloud.addPod(instanceId) }),
    addStarting: async () => {
      const ref = cloud.addInstance({ location: 'here', isPending: true });
      return { ref, start: async () => cloud.startInstance(ref.instanceId) };
    },
    addAutomatic: async () => cloud.addInstance({ location: 'here', hasAutomaticIp: true }),
    removeInstance: async ({ instanceId }) => cloud.removeInstance(instanceId),
    addReserved: async (tags) => {
      cloud.addAddresses({ tags, count: 1, location: 'here', reserved: 'a load balancer' });
    },
    addElsewhere: async (tags) => {
      cloud.addAddresses({ tags, count: 1, location: 'there' });
    },
    staleReads: async () => cloud.freezeReads(),
    freshReads: async () => cloud.thawReads(),
    failNext: async (verb, code) => cloud.inject({ verb, kind: 'error', code }),
    loseReplyOf: async (verb) => cloud.inject({ verb, kind: 'lostReply' }),
    hangNext: async (verb) => cloud.inject({ verb, kind: 'hang' }),
    closeNetwork: async (ref) => cloud.closeNetwork(ref),
    loseFence: (reason) => right.abort(reason),
    fillQuota: async () => {
      cloud.addAddresses({ tags: {}, count: QUOTA - cloud.addressIds().length });
    },
  };
}

function harness(
  name: string,
  create: (options: Parameters<typeof createMemoryCloud>[0]) => MemoryCloud | SteppedCloud,
  rest: Pick<ContractHarness, 'abilities' | 'gaps'>,
): ContractHarness {
  const clock = createManualClock({ startMs: 0 });
  const { capabilities } = create({ clock }).provider();
  return {
    name,
    capabilities,
    ...rest,
    open: async () => {
      const own = createManualClock({ startMs: 0 });
      const cloud = create({ clock: own, quota: QUOTA });
      const world = worldOn(own, cloud);
      return 'failOperations' in cloud ? { ...world, failHalfway: async () => cloud.failOperations(1) } : world;
    },
  };
}

describe.each([
  harness('one-step cloud', createMemoryCloud, {
    abilities: [...ABILITIES, 'addElsewhere', 'addPod', 'addReserved', 'closeNetwork', 'fillQuota'],
    gaps: { failHalfway: 'there is nothing half-way in one step' },
  }),
  harness('two-step cloud', createTwoStepCloud, {
    abilities: [...ABILITIES, 'addElsewhere', 'addReserved', 'failHalfway', 'fillQuota'],
    gaps: {},
  }),
  harness('prefix cloud', createPrefixCloud, {
    abilities: [...ABILITIES, 'addPod', 'failHalfway'],
    gaps: {},
  }),
])('$name in memory keeps the contract:', (memory) => {
  for (const { name, run } of contractCases(memory)) it(name, run);
});
