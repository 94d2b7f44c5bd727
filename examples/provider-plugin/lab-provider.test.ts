import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Fence, ProviderContext, TargetRef } from '@static-ip/provider';
import { contractCases } from '@static-ip/provider/contract';
import type { ContractHarness, ContractWorld } from '@static-ip/provider/contract';
import type { Lab } from './lab-file.js';
import { createProvider } from './lab-provider.js';

const EMPTY: Lab = { serial: 0, machines: {}, addresses: {}, nat: {} };

function contextWith(env: ProviderContext['env'], fence: Fence): ProviderContext {
  const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  return { clock, random: () => 0.5, fence, env, rates: {}, onCall: () => {} };
}

/** A lab in a folder of its own; the test plays the lab's owner by writing the file. */
async function openWorld(): Promise<ContractWorld> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lab-'));
  const file = path.join(folder, 'lab.json');
  const read = async (): Promise<Lab> => JSON.parse(await readFile(file, 'utf8'));
  // Owners write one after another, like everybody.
  let last = writeFile(file, JSON.stringify(EMPTY));
  const edit = <Result>(change: (lab: Lab) => Result): Promise<Result> => {
    const turn = last.then(async () => {
      const lab = await read();
      lab.serial += 1;
      const result = change(lab);
      await writeFile(file, JSON.stringify(lab));
      return result;
    });
    last = turn.then(() => {});
    return turn;
  };
  const right = new AbortController();
  const fence: Fence = {
    enter: () => {
      right.signal.throwIfAborted();
      return right.signal;
    },
  };
  return {
    provider: await createProvider(contextWith({ LAB_FILE: file }, fence)),
    elapse: async () => {},
    addInstance: () =>
      edit((lab) => {
        const instanceId = `machine-${lab.serial}`;
        lab.machines[instanceId] = { privateIp: `10.1.0.${lab.serial}`, site: 'rack-a' };
        return { kind: 'instance' as const, instanceId };
      }),
    addSupply: ({ tags, count }) =>
      edit((lab) => {
        for (let n = 0; n < count; n++) addAddress(lab, tags, 'rack-a');
      }),
    addElsewhere: (tags) => edit((lab) => void addAddress(lab, tags, 'rack-b')),
    occupy: (ref) =>
      edit((lab) => {
        removeFrom(lab, machineOf(ref));
        lab.nat[addAddress(lab, {}, 'rack-a')] = { id: `nat-${lab.serial}`, machine: machineOf(ref) };
      }),
    vacate: (ref) => edit((lab) => removeFrom(lab, machineOf(ref))),
    removeInstance: ({ instanceId }) =>
      edit((lab) => {
        removeFrom(lab, instanceId);
        delete lab.machines[instanceId];
      }),
    loseFence: (reason) => right.abort(reason),
    ipOn: async (ref) => {
      const { addresses, nat } = await read();
      return Object.entries(nat)
        .filter(([, { machine }]) => machine === machineOf(ref))
        .map(([id]) => addresses[id]?.ip)[0];
    },
    close: () => rm(folder, { recursive: true }),
  };
}

function addAddress(lab: Lab, tags: Readonly<Record<string, string>>, site: string): string {
  const number = Object.keys(lab.addresses).length + 1;
  const id = `address-${String(number).padStart(3, '0')}`;
  lab.addresses[id] = { ip: `192.0.2.${number}`, site, tags: { ...tags } };
  return id;
}

function machineOf(ref: TargetRef): string {
  return ref.instanceId ?? '';
}

function removeFrom(lab: Lab, machine: string): void {
  for (const [id, entry] of Object.entries(lab.nat)) if (entry.machine === machine) delete lab.nat[id];
}

const HARNESS: ContractHarness = {
  name: 'lab',
  capabilities: {
    podTargets: false,
    atomicSwap: true,
    createsFromPool: false,
    allocation: false,
    quota: false,
    routes: false,
  },
  abilities: ['addElsewhere', 'loseFence', 'removeInstance'],
  gaps: {
    addAutomatic: 'the router gives no address by itself',
    addReserved: 'the lab has no services',
    addStarting: 'a machine of the lab is always on',
    failHalfway: 'the file is replaced as a whole',
    failNext: 'a file refuses nobody',
    freshReads: 'a file is never stale',
    hangNext: 'a file always answers',
    loseReplyOf: 'a file always answers',
    staleReads: 'a file is never stale',
  },
  open: openWorld,
};

describe('the lab plugin keeps the contract:', () => {
  for (const { name, run } of contractCases(HARNESS)) it(name, run);
});

describe('the lab plugin', () => {
  const always: Fence = { enter: () => new AbortController().signal };

  it('refuses to start without its setting, with what to do', () => {
    expect(() => createProvider(contextWith({}, always))).toThrow('LAB_FILE is not set');
  });

  it('answers a file that cannot be read with an error, never with an empty lab', async () => {
    const provider = await createProvider(contextWith({ LAB_FILE: path.join(tmpdir(), 'no-such-lab.json') }, always));
    const { signal } = new AbortController();
    await expect(provider.listAddresses({ by: 'tags', tags: { pool: 'a' } }, { signal })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
