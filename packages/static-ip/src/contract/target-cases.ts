import assert from 'node:assert/strict';
import type { TargetRef } from '../target.ts';
import type { CaseDefinition } from './contract-case.ts';
import { addInstances, attachFirst, candidatesFor, LIVE, needed, POOL, resolve } from './steps.ts';

/** Well-formed for every cloud, and of no instance. */
const MISSING: TargetRef = { kind: 'instance', instanceId: 'i-00000000000000000' };

export const TARGET_CASES: readonly CaseDefinition[] = [
  {
    id: 'one-answer-per-ref',
    name: 'answers one for each target in the order asked, and one that is missing fails alone',
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      const refs = [needed(two), MISSING, needed(one), needed(two)];
      const resolutions = await world.provider.resolveTargets(refs, LIVE);
      assert.deepEqual(
        resolutions.map(({ ref }) => ref),
        refs,
      );
      const codes = resolutions.map((each) => ('error' in each ? each.error.code : 'ok'));
      assert.deepEqual(codes, ['ok', 'notFound', 'ok', 'ok']);
      assert.deepEqual(await world.provider.resolveTargets([], LIVE), []);
    },
  },
  {
    id: 'more-targets-than-a-call-takes',
    name: 'resolves more targets than a cloud takes in one call',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      const missing = Array.from({ length: 230 }, (_, n): TargetRef => ({
        kind: 'instance',
        instanceId: `i-${n.toString(16).padStart(17, '0')}`,
      }));
      const resolutions = await world.provider.resolveTargets([...missing, needed(ref)], LIVE);
      assert.equal(resolutions.length, 231);
      assert.equal(resolutions.filter((one) => 'target' in one).length, 1);
    },
  },
  {
    id: 'targets-are-places',
    name: 'gives different targets different ids and the same target the same id, holding nothing at first',
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      const first = await resolve(world, needed(one));
      const second = await resolve(world, needed(two));
      assert.notEqual(first.id, second.id);
      assert.equal((await resolve(world, needed(one))).id, first.id);
      assert.equal(first.holding ?? second.holding, undefined);
    },
  },
  {
    id: 'foreign-holder-is-shown',
    name: 'B17: shows the address that somebody else put on a target',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.occupy(needed(ref));
      assert.equal((await resolve(world, needed(ref))).holding?.ip, await world.ipOn(needed(ref)));
    },
  },
  {
    id: 'pods-are-targets',
    name: 'B19: resolves the private addresses of pods as places of their own on an interface of the instance',
    features: ['podTargets'],
    abilities: ['addPod'],
    run: async (world) => {
      const [instance] = await addInstances(world, 1);
      const pods = [await world.addPod?.(needed(instance)), await world.addPod?.(needed(instance))].map(needed);
      const refs = [needed(instance), ...pods];
      const targets = await Promise.all(refs.map((ref) => resolve(world, ref)));
      assert.equal(new Set(targets.map(({ id }) => id)).size, 3);
      assert.deepEqual(
        targets.slice(1).map(({ privateIp }) => privateIp),
        pods.map(({ privateIp }) => privateIp),
      );
    },
  },
  {
    id: 'interface-and-private-ip-must-agree',
    name: 'B19: resolves a named interface only with a private address that is on it',
    features: ['podTargets'],
    abilities: ['addPod'],
    run: async (world) => {
      const [instance] = await addInstances(world, 1);
      const pod = needed(await world.addPod?.(needed(instance)));
      const { interfaceId } = await resolve(world, pod);
      const named = { kind: 'privateIp', privateIp: pod.privateIp, interfaceId } as const;
      assert.equal((await resolve(world, named)).interfaceId, interfaceId);
      const wrong = [
        { ...named, privateIp: '192.0.2.77' },
        { ...pod, privateIp: '192.0.2.77' },
        { ...pod, privateIp: 'not-an-ip' },
      ];
      const resolutions = await world.provider.resolveTargets(wrong, LIVE);
      const codes = resolutions.map((one) => ('error' in one ? one.error.code : 'ok'));
      assert.deepEqual(codes, ['notFound', 'notFound', 'invalid']);
    },
  },
  {
    id: 'pods-are-unsupported',
    name: 'says that pod targets are unsupported where the cloud has none',
    features: ['noPodTargets'],
    run: async (world) => {
      const [instance] = await addInstances(world, 1);
      const { instanceId } = needed(instance);
      const pod: TargetRef = { kind: 'privateIp', instanceId, privateIp: '10.0.0.9' };
      const [resolution] = await world.provider.resolveTargets([pod], LIVE);
      assert.ok(resolution !== undefined && 'error' in resolution);
      assert.equal(resolution.error.code, 'unsupported');
    },
  },
  {
    id: 'automatic-address-is-not-in-the-way',
    name: 'B20: an address that the cloud gave by itself does not count as held, and gives way',
    abilities: ['addAutomatic'],
    run: async (world) => {
      const ref = needed(await world.addAutomatic?.());
      await world.addSupply({ tags: POOL, count: 1 });
      const target = await resolve(world, ref);
      assert.equal(target.holding, undefined);
      assert.notEqual(target.automatic, undefined);
      const { ip } = await attachFirst(world, ref);
      assert.equal(await world.ipOn(ref), ip);
    },
  },
  {
    id: 'other-locations-are-told-apart',
    name: 'B10: gives addresses and targets locations that tell whether they fit',
    features: ['addresses'],
    abilities: ['addElsewhere'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addElsewhere?.(POOL);
      const target = await resolve(world, needed(ref));
      assert.notEqual(target.location, undefined);
      assert.deepEqual(await candidatesFor(world, target), []);
      await world.addSupply({ tags: POOL, count: 1 });
      assert.equal((await candidatesFor(world, target)).length, 1);
    },
  },
];
