import assert from 'node:assert/strict';
import { createEmulator, createManualClock } from '@static-ip/testkit';
import type { Ec2Fault, Emulator, SettingsPatch } from '@static-ip/testkit';
import type { ContractWorld, InstanceRef } from '../contract/index.ts';
import type { Verb } from '../decorators/around-verbs.ts';
import type { TargetRef } from '../target.ts';
import { createProvider } from './create-provider.ts';
import { contextFor, realClock } from './test-context.test.fixture.ts';

const ACTION_OF: Readonly<Record<Verb, string>> = {
  listAddresses: 'DescribeAddresses',
  resolveTargets: 'DescribeNetworkInterfaces',
  attach: 'AssociateAddress',
  detach: 'DisassociateAddress',
  allocate: 'AllocateAddress',
  release: 'ReleaseAddress',
  mark: 'CreateTags',
  quota: 'DescribeAccountAttributes',
  internetRoutes: 'DescribeRouteTables',
};

const FAULT_OF = {
  denied: { kind: 'deny', times: 1 },
  throttled: { kind: 'throttle', times: 1 },
  unavailable: { kind: 'error', code: 'ServiceUnavailable', status: 503 },
} as const satisfies Readonly<Record<string, Ec2Fault>>;

const STALE_MS = 1_000;

/** A world of the contract on an emulated account of its own; on closing, no rule of a shared account was broken. */
export async function openEmulatorWorld(settings: SettingsPatch): Promise<ContractWorld> {
  // The emulator's time stands still, so that a stale read is exactly as old as the case wants.
  const clock = createManualClock({ startMs: 1_000_000 });
  const emulator = createEmulator({ clock, settings: { buckets: { enabled: false }, ...settings } });
  const { context, loseFence } = contextFor(await emulator.listen());
  const provider = await createProvider(context);
  emulator.addVpc({});
  const addInstance = (over: Parameters<Emulator['addInstance']>[0] = {}): InstanceRef => {
    return { kind: 'instance', instanceId: emulator.addInstance({ zone: 'us-east-1a', ...over }).id };
  };
  let stale = '';
  return {
    provider,
    elapse: (ms) => realClock.sleep(ms, new AbortController().signal),
    addInstance: async () => addInstance(),
    addSupply: async ({ tags, count }) => {
      for (let n = 0; n < count; n++) emulator.addAddress({ tags, foreign: false });
    },
    occupy: async (ref) => {
      const { allocationId } = emulator.addAddress({ foreign: true });
      emulator.associate({ allocationId, ...placeOf(emulator, ref) });
    },
    vacate: async (ref) => {
      emulator.disassociate({ allocationId: holderOf(emulator, ref)?.allocationId ?? '' });
    },
    ipOn: async (ref) => holderOf(emulator, ref)?.publicIp,
    close: async () => {
      await emulator.close();
      assert.deepEqual(emulator.violations(), []);
    },
    addPod: async ({ instanceId }) => {
      const { interfaceId, privateIps } = interfaceOf(emulator, { kind: 'instance', instanceId });
      const privateIp = (privateIps[0] ?? '').replace(/\d+$/, String(100 + privateIps.length));
      emulator.setPrivateIps({ interfaceId, privateIps: [...privateIps, privateIp] });
      return { kind: 'privateIp', instanceId, privateIp };
    },
    addStarting: async () => {
      const ref = addInstance({ state: 'pending' });
      const start = async () => emulator.setInstanceState({ instanceId: ref.instanceId, state: 'running' });
      return { ref, start };
    },
    addAutomatic: async () => addInstance({ autoPublicIp: true }),
    removeInstance: async ({ instanceId }) => emulator.setInstanceState({ instanceId, state: 'terminated' }),
    addReserved: async (tags) => {
      emulator.addAddress({ tags, serviceManaged: 'nlb' });
    },
    addElsewhere: async (tags) => {
      emulator.addZone({ name: 'us-east-1-bos-1a', type: 'local-zone', borderGroup: 'us-east-1-bos-1' });
      emulator.addAddress({ tags, borderGroup: 'us-east-1-bos-1' });
    },
    staleReads: async () => {
      await clock.advance(STALE_MS);
      stale = emulator.injectFault({ kind: 'stale', ms: STALE_MS });
    },
    freshReads: async () => emulator.removeFault({ id: stale }),
    failNext: async (verb, code) => {
      emulator.injectFault({ ...FAULT_OF[code], action: ACTION_OF[verb] });
    },
    loseReplyOf: async (verb) => {
      emulator.injectFault({ kind: 'reset-after-effect', action: ACTION_OF[verb] });
    },
    hangNext: async (verb) => {
      emulator.injectFault({ kind: 'hang-before-effect', action: ACTION_OF[verb] });
    },
    loseFence,
    closeNetwork: async (ref) => {
      const { interfaceId } = interfaceOf(emulator, ref);
      const on = emulator.snapshot().interfaces.find(({ id }) => id === interfaceId);
      assert.ok(on !== undefined);
      emulator.addRouteTable({ vpcId: on.vpcId, subnetIds: [on.subnetId] });
    },
    fillQuota: async () => {
      emulator.configure({ addressQuota: emulator.snapshot().addresses.length });
    },
  };
}

interface Place {
  readonly interfaceId: string;
  readonly privateIp: string;
  readonly privateIps: readonly string[];
}

function interfaceOf(emulator: Emulator, ref: TargetRef): Place {
  const { interfaces } = emulator.snapshot();
  const found = interfaces.find(({ id, attachment, privateIps }) => {
    if (ref.kind === 'instance') return attachment?.instanceId === ref.instanceId && attachment.deviceIndex === 0;
    const isOn = ref.interfaceId === undefined ? attachment?.instanceId === ref.instanceId : id === ref.interfaceId;
    return isOn && privateIps.includes(ref.privateIp);
  });
  assert.ok(found !== undefined, `the emulator has ${JSON.stringify(ref)}`);
  const privateIp = ref.kind === 'instance' ? (found.privateIps[0] ?? '') : ref.privateIp;
  return { interfaceId: found.id, privateIp, privateIps: found.privateIps };
}

function placeOf(emulator: Emulator, ref: TargetRef): Pick<Place, 'interfaceId' | 'privateIp'> {
  const { interfaceId, privateIp } = interfaceOf(emulator, ref);
  return { interfaceId, privateIp };
}

function holderOf(emulator: Emulator, ref: TargetRef) {
  const { interfaceId, privateIp } = placeOf(emulator, ref);
  return emulator
    .snapshot()
    .addresses.find(
      ({ association }) => association?.interfaceId === interfaceId && association.privateIp === privateIp,
    );
}
