import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AWS_NODE_ACTIONS, AWS_OPTIONAL_ACTIONS } from '@static-ip/provider/aws';
import { compareRights, grantsOf, installChart, requestsOf, startWorld } from '@static-ip/testkit';
import type { InstalledChart, OperatorProcess, World } from '@static-ip/testkit';
import { TAINT } from '../api/names.ts';

const POOL = { pool: 'a' };

/** As a cluster would have it, but in seconds instead of minutes. */
const VALUES = {
  options: {
    clusterName: 'prod-1',
    sources: ['cilium-node'],
    requireTag: ['pool=a'],
    ec2Rate: ['AssociateAddress=4.9/45'],
    resyncInterval: '1s',
    removedTagsGrace: '1s',
    startupTaint: 'confirmed',
    leaseDuration: '2s',
    metricsBindAddress: '0',
    healthBindAddress: '0',
  },
};

let world: World;
let chart: InstalledChart;
beforeAll(async () => {
  world = await startWorld({ audit: 'all', kubeconfig: installed });
}, 120_000);
afterAll(() => world.stop());

async function installed(cluster: World['cluster']): Promise<string> {
  chart = await installChart({ cluster, values: VALUES });
  return chart.kubeconfig;
}

function start(): Promise<OperatorProcess> {
  const [command, ...flags] = chart.args;
  expect(command).toBe('run');
  return world.operator(flags);
}

/** Assigns, removes the start-up taint, waits for the pool, repairs, detaches, and hands the lease over: all that the node flow does. */
async function liveALife(): Promise<void> {
  world.addPool(2, POOL);
  const taints = [{ key: TAINT.addressPending, effect: 'NoSchedule' }];
  for (const name of ['n1', 'n2']) await world.addNode({ name, tags: POOL, taints, withoutInstanceId: name === 'n2' });
  const first = await start();
  await world.untilAssigned('n1');
  await world.untilAssigned('n2');
  await world.untilEvent('n2', 'StartupTaintRemoved');
  const [taken] = world.ec2.snapshot().addresses;
  world.ec2.disassociate({ allocationId: taken?.allocationId ?? '' });
  await world.untilAssigned('n1');
  await world.untilAssigned('n2');

  const second = await start();
  expect(await first.stop()).toBe(0);
  await world.addNode({ name: 'n3', tags: POOL });
  await world.untilEvent('n3', 'PoolExhausted');
  // The third process finds the Event of the second, and counts it up.
  const third = await start();
  expect(await second.stop()).toBe(0);
  await world.untilEvent('n3', 'PoolExhausted', 2);

  await world.cluster.api.patch('/apis/cilium.io/v2/ciliumnodes/n1', { spec: { ipam: { 'static-ip-tags': null } } });
  await world.untilEvent('n1', 'AddressDetached');
  await world.untilAssigned('n3', 20_000);
  expect(await third.stop()).toBe(0);
}

describe('an operator for CiliumNodes that runs as the chart says', () => {
  it('uses every right it has, and needs no other, in Kubernetes and in EC2', async () => {
    // A missing right ends the story early: the refused request says more than what was then waited for in vain.
    const trouble = await liveALife().catch((error: unknown) => error);
    const requests = requestsOf(world.cluster.auditLogFile, chart.serviceAccount);
    const { unused, refused } = compareRights(grantsOf(chart.objects), requests);
    expect({ refused, trouble, unused }).toEqual({ refused: [], trouble: undefined, unused: [] });
    expect(Object.keys(world.ec2.counts()).toSorted()).toEqual(
      [...AWS_NODE_ACTIONS, ...AWS_OPTIONAL_ACTIONS].toSorted(),
    );
    expect(world.ec2.violations()).toEqual([]);
  }, 90_000);
});
