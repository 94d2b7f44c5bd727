import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startEipWorld } from '@static-ip/testkit';
import type { EipWorld, KubeObject } from '@static-ip/testkit';
import { FINALIZER } from '../api/names.ts';
import { EIP_VERSIONS, eipPath } from '../testing/eip-objects.ts';
import {
  addPredecessorEip,
  addPredecessorObjects,
  PREDECESSOR_EIPS,
  predecessorsView,
} from '../testing/predecessor-world.ts';

/**
 * A cluster as k8s-eip-operator leaves it: its finalizers, statuses, annotations and labels, and addresses with its marks,
 * which name no cluster uid. One Eip was written in v1, one in v2, one belongs to its pod, one is a node's.
 */
let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld();
}, 90_000);
beforeEach(() => world.reset());
afterEach(async () => {
  expect(world.ec2.violations()).toEqual([]);
  // Without an operator it would keep the node.
  const node = await world.cluster.api.find('/api/v1/nodes/gw');
  if (node !== undefined) await world.cluster.api.patch('/api/v1/nodes/gw', { metadata: { finalizers: null } });
});
afterAll(() => world.stop());

async function addPredecessorsWorld(): Promise<void> {
  await addPredecessorObjects(world);
  for (const eip of PREDECESSOR_EIPS) await addPredecessorEip(world, eip);
}

function mutatingCalls(): readonly string[] {
  return world.ec2.journal().flatMap(({ action }) => (action.startsWith('Describe') ? [] : [action]));
}

function until(isTrue: () => Promise<boolean> | boolean): Promise<true> {
  return eventually(isTrue, { timeoutMs: 12_000 });
}

/** Taken over: each Eip is said to be ready. */
async function takeOver(): Promise<void> {
  await world.operator(['--sweep', 'release']);
  for (const { name } of PREDECESSOR_EIPS) {
    await until(async () => {
      const conditions = (await world.eip(name))?.status?.['conditions'];
      return JSON.stringify(conditions ?? null).includes('"status":"True","type":"Ready"');
    });
  }
  await new Promise((resolve) => setTimeout(resolve, 2_500));
}

describe('a cluster that k8s-eip-operator ran', () => {
  it('is taken over without a call that changes anything, and is to its eyes as it was', async () => {
    await addPredecessorsWorld();
    const before = await predecessorsView(world);
    await takeOver();
    expect(await predecessorsView(world)).toEqual(before);
    expect(mutatingCalls()).toEqual([]);
    expect((await world.pod('two'))?.metadata.finalizers).toEqual([FINALIZER.pod]);
  });

  it('shows an Eip that was written in v1 as it was, in both versions', async () => {
    await addPredecessorsWorld();
    await takeOver();
    for (const version of EIP_VERSIONS) {
      const eip = await world.cluster.api.get<KubeObject & { readonly spec: unknown }>(eipPath(version, 'eip-one'));
      expect(eip.spec).toEqual({ podName: 'one' });
    }
  });

  it('B25: has its addresses released with their Eips', async () => {
    await addPredecessorsWorld();
    await takeOver();
    for (const name of ['eip-one', 'eip-gw']) await world.deleteEip(name);
    await world.deletePod('auto');
    for (const name of ['eip-one', 'eip-gw', 'auto']) await until(async () => (await world.eip(name)) === undefined);
    await until(async () => (await world.pod('auto')) === undefined);
    const left = world.ec2.snapshot().addresses.map(({ tags }) => tags['eip.materialize.cloud/eip_name']);
    expect(left).toEqual(['eip-two']);
    await until(async () => (await world.pod('one'))?.metadata.annotations === undefined);
  });

  it('has its pods followed, and its nodes let go', async () => {
    await addPredecessorsWorld();
    await takeOver();
    const ip = world.onPrivate('10.0.77.1');
    await world.deletePod('one');
    await until(async () => (await world.pod('one')) === undefined);
    await world.addPod({ name: 'one', ip: '10.0.77.1' });
    expect(await world.untilAttached('eip-one', '10.0.77.1')).toBe(ip);
    await world.cluster.api.delete('/api/v1/nodes/gw');
    await until(async () => (await world.cluster.api.find('/api/v1/nodes/gw')) === undefined);
  });
});
