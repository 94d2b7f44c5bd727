import assert from 'node:assert/strict';
import type { CaseDefinition } from './contract-case.ts';
import {
  addInstances,
  attach,
  attachFirst,
  detach,
  failsWith,
  LIVE,
  list,
  needed,
  POOL,
  requestFor,
  resolve,
} from './steps.ts';

export const FAILURE_CASES: readonly CaseDefinition[] = [
  {
    id: 'lost-attach-is-observed',
    name: 'B22: an attach whose reply was lost is unknown; a read shows what is there, and going on needs nothing more',
    abilities: ['loseReplyOf'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 2 });
      const request = await requestFor(world, needed(ref));
      await world.loseReplyOf?.('attach');
      await failsWith(attach(world, request), 'unknown');
      const { ip } = await attach(world, { ...request, target: await resolve(world, needed(ref)) });
      assert.equal(await world.ipOn(needed(ref)), ip);
      const attached = (await list(world)).addresses.filter(({ attachment }) => attachment !== undefined);
      assert.equal(attached.length, 1);
    },
  },
  {
    id: 'lost-detach-is-repeated',
    name: 'B22: a detach whose reply was lost is unknown, and repeating it is done',
    abilities: ['loseReplyOf'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      const { attachment } = await attachFirst(world, needed(ref));
      await world.loseReplyOf?.('detach');
      await failsWith(detach(world, attachment), 'unknown');
      await detach(world, attachment);
      assert.equal(await world.ipOn(needed(ref)), undefined);
    },
  },
  {
    id: 'refused-read-is-an-error',
    name: 'B57: a read that is denied, throttled or fails is that error and never an empty answer',
    abilities: ['failNext'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      for (const code of ['denied', 'throttled', 'unavailable'] as const) {
        await world.failNext?.('listAddresses', code);
        await failsWith(list(world), code);
        await world.failNext?.('resolveTargets', code);
        await failsWith(world.provider.resolveTargets([needed(ref)], LIVE), code);
      }
      assert.equal((await list(world)).addresses.length + (await list(world)).pools.length, 1);
    },
  },
  {
    id: 'refused-change-has-no-effect',
    name: 'B43: a change that is denied or throttled is that error, and nothing happened',
    abilities: ['failNext'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      const request = await requestFor(world, needed(ref));
      for (const code of ['denied', 'throttled'] as const) {
        await world.failNext?.('attach', code);
        await failsWith(attach(world, request), code);
        assert.equal(await world.ipOn(needed(ref)), undefined);
      }
      const { ip, attachment } = await attach(world, request);
      for (const code of ['denied', 'throttled'] as const) {
        await world.failNext?.('detach', code);
        await failsWith(detach(world, attachment), code);
        assert.equal(await world.ipOn(needed(ref)), ip);
      }
    },
  },
  {
    id: 'hanging-call-is-abandoned',
    name: 'B44: a call that hangs ends with the reason of its signal as soon as that aborts',
    abilities: ['hangNext'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      const request = await requestFor(world, needed(ref));
      for (const verb of ['listAddresses', 'attach'] as const) {
        const abort = new AbortController();
        const reason = new Error('the caller gives up');
        const options = { signal: abort.signal };
        await world.hangNext?.(verb);
        const call =
          verb === 'attach'
            ? world.provider.attach(request, options)
            : world.provider.listAddresses({ by: 'tags', tags: POOL }, options);
        const outcome = assert.rejects(call, (error) => error === reason);
        await world.elapse(20);
        abort.abort(reason);
        await outcome;
      }
    },
  },
  {
    id: 'aborted-before-it-began',
    name: 'a call whose signal has aborted already does nothing',
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      await world.addSupply({ tags: POOL, count: 1 });
      const request = await requestFor(world, needed(ref));
      const reason = new Error('too late');
      const options = { signal: AbortSignal.abort(reason) };
      await assert.rejects(world.provider.attach(request, options), (error) => error === reason);
      await assert.rejects(world.provider.resolveTargets([needed(ref)], options), (error) => error === reason);
      assert.equal(await world.ipOn(needed(ref)), undefined);
    },
  },
  {
    id: 'no-change-without-the-right',
    name: 'a provider that lost the right to change the cloud reads on, and changes nothing',
    abilities: ['loseFence'],
    run: async (world) => {
      const [one, two] = await addInstances(world, 2);
      await world.addSupply({ tags: POOL, count: 2 });
      const { ip, attachment } = await attachFirst(world, needed(one));
      const request = await requestFor(world, needed(two));
      const reason = new Error('lease lost');
      world.loseFence?.(reason);
      await assert.rejects(world.provider.attach(request, LIVE), (error) => error === reason);
      await assert.rejects(world.provider.detach(attachment, LIVE), (error) => error === reason);
      assert.equal((await resolve(world, needed(one))).holding?.ip, ip);
      assert.equal((await resolve(world, needed(two))).holding, undefined);
    },
  },
];
