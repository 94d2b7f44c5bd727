import assert from 'node:assert/strict';
import type { InternetRoute } from '../provider.ts';
import type { CaseDefinition } from './contract-case.ts';
import type { ContractWorld } from './harness.ts';
import { addInstances, failsWith, LIVE, needed, resolve } from './steps.ts';

export const ROUTE_CASES: readonly CaseDefinition[] = [
  {
    id: 'routes-are-told',
    name: 'B21: tells the network that leads to the internet from the one that does not, and says why',
    features: ['routes'],
    abilities: ['closeNetwork'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      const network = needed((await resolve(world, needed(ref))).network);
      assert.deepEqual(await routes(world, [network]), [{ network, isOpen: true }]);
      await world.closeNetwork?.(needed(ref));
      assert.equal((await resolve(world, needed(ref))).network, network);
      const [closed] = await routes(world, [network]);
      assert.ok(closed?.isOpen === false && closed.why !== '');
      assert.equal(closed.network, network);
    },
  },
  {
    id: 'no-networks-no-routes',
    name: 'has no answer for no networks',
    features: ['routes'],
    run: async (world) => assert.deepEqual(await routes(world, []), []),
  },
  {
    id: 'routes-may-be-denied',
    name: 'says `denied` where routes may not be read',
    features: ['routes'],
    abilities: ['failNext'],
    run: async (world) => {
      const [ref] = await addInstances(world, 1);
      const network = needed((await resolve(world, needed(ref))).network);
      await world.failNext?.('internetRoutes', 'denied');
      await failsWith(routes(world, [network]), 'denied');
    },
  },
];

async function routes(world: ContractWorld, networks: readonly string[]): Promise<readonly InternetRoute[]> {
  return needed(await world.provider.internetRoutes?.(networks, LIVE));
}
