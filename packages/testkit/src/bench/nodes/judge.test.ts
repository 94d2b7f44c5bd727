import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEmulator } from '../../ec2/emulator.ts';
import { judgeStatuses } from './judge.ts';
import { addForeignAddresses, addNodes } from './world.ts';
import type { Emulator } from '../../ec2/emulator.ts';
import { connectEmulator } from '../../ec2/control/emulator-client.ts';

let emulator: Emulator;

beforeEach(() => {
  emulator = createEmulator();
});

afterEach(() => emulator.close());

/** Two nodes of the benchmark's world, each with an address of the pool associated. */
async function twoNodes() {
  const controls = connectEmulator(await emulator.listen());
  await addForeignAddresses(controls);
  const nodes = await addNodes(controls, { first: 1, count: 2 });
  const { addresses, interfaces } = emulator.snapshot();
  const pool = addresses.filter(({ tags }) => 'Name' in tags);
  const statuses = new Map<string, { address: string }>();
  for (const [index, { name, instanceId }] of nodes.entries()) {
    const target = interfaces.find(({ attachment }) => attachment?.instanceId === instanceId);
    const address = pool[index];
    if (target === undefined || address === undefined) throw new Error('the world is incomplete');
    emulator.associate({ allocationId: address.allocationId, interfaceId: target.id });
    statuses.set(name, { address: address.publicIp });
  }
  return { nodes, statuses, foreign: addresses.find(({ tags }) => !('Name' in tags)) };
}

describe('judgement of statuses', () => {
  it('is right when each status names the address on its own instance', async () => {
    const { nodes, statuses } = await twoNodes();
    const verdict = judgeStatuses(nodes, statuses, emulator.snapshot());
    expect(verdict.wrong).toEqual([]);
    expect(verdict.right.map(({ name }) => name)).toEqual(['bench-00001', 'bench-00002']);
  });

  it('finds a missing status', async () => {
    const { nodes, statuses } = await twoNodes();
    statuses.delete('bench-00002');
    expect(judgeStatuses(nodes, statuses, emulator.snapshot()).wrong).toEqual(['bench-00002 names no address']);
  });

  it("finds a status that names another node's address", async () => {
    const { nodes, statuses } = await twoNodes();
    statuses.set('bench-00002', statuses.get('bench-00001') ?? { address: '' });
    const { wrong } = judgeStatuses(nodes, statuses, emulator.snapshot());
    expect(wrong).toEqual([`bench-00002 names ${statuses.get('bench-00001')?.address}, as another node does`]);
  });

  it('finds a status written before or without an association', async () => {
    const { nodes, statuses } = await twoNodes();
    const address = emulator
      .snapshot()
      .addresses.find(({ publicIp }) => publicIp === statuses.get('bench-00001')?.address);
    emulator.disassociate({ allocationId: address?.allocationId ?? '' });
    const { wrong } = judgeStatuses(nodes, statuses, emulator.snapshot());
    expect(wrong).toEqual([`bench-00001 names ${address?.publicIp}, which is on nothing`]);
  });

  it("finds a status that names an address of another node's instance", async () => {
    const { nodes, statuses } = await twoNodes();
    const [first, second] = [statuses.get('bench-00001'), statuses.get('bench-00002')];
    statuses.set('bench-00001', second ?? { address: '' }).set('bench-00002', first ?? { address: '' });
    const { wrong } = judgeStatuses(nodes, statuses, emulator.snapshot());
    expect(wrong).toHaveLength(2);
    expect(wrong[0]).toContain(`${second?.address}, which is on ${nodes[1]?.instanceId}`);
  });

  it('finds an address that is not of the pool', async () => {
    const { nodes, statuses, foreign } = await twoNodes();
    const target = emulator
      .snapshot()
      .interfaces.find(({ attachment }) => attachment?.instanceId === nodes[0]?.instanceId);
    emulator.associate({ allocationId: foreign?.allocationId ?? '', interfaceId: target?.id ?? '' });
    statuses.set('bench-00001', { address: foreign?.publicIp ?? '' });
    const { wrong } = judgeStatuses(nodes, statuses, emulator.snapshot());
    expect(wrong).toEqual([`bench-00001 names ${foreign?.publicIp}, which is not of the pool`]);
  });
});
