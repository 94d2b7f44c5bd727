import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, startEipWorld } from '@static-ip/testkit';
import type { EipWorld } from '@static-ip/testkit';

/** Two clusters of the same name that share the account of the first. */
let ours: EipWorld;
let theirs: EipWorld;
let endpoint: string;
beforeAll(async () => {
  [ours, theirs] = await Promise.all([startEipWorld(), startEipWorld()]);
  endpoint = ours.ec2.endpoint();
}, 120_000);
afterEach(() => expect(ours.ec2.violations()).toEqual([]));
afterAll(() => Promise.all([ours.stop(), theirs.stop()]));

async function addWeb(world: EipWorld, ip: string): Promise<void> {
  await world.addPod({ name: 'web-0', ip });
  await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
}

/** What is on the private address, when the status of that cluster agrees. */
function untilAttached(world: EipWorld, privateIp: string): Promise<string> {
  return eventually(
    async () => {
      const status = (await world.eip('web'))?.status ?? {};
      const actual = ours.onPrivate(privateIp);
      const isSaid = status['privateIpAddress'] === privateIp && typeof status['associationId'] === 'string';
      if (actual === undefined || !isSaid || status['publicIpAddress'] !== actual)
        throw new Error(JSON.stringify(status));
      return actual;
    },
    { timeoutMs: 15_000 },
  );
}

describe('two clusters of one name in one account', () => {
  it('B54: leave each other’s addresses alone, through a restart and deletion', async () => {
    await ours.addPodNode({ name: 'n1', podIps: ['10.0.77.1'] });
    ours.ec2.addInstance({ id: 'i-0000000000000000f', interfaces: [{}, { secondaryIps: ['10.0.78.1'] }] });
    theirs.ec2.addInstance({ id: 'i-0000000000000000f' });
    await theirs.addNode({ name: 'n1', instanceId: 'i-0000000000000000f' });
    await addWeb(ours, '10.0.77.1');
    await addWeb(theirs, '10.0.78.1');
    const first = await ours.operator(['--sweep', 'release']);
    await theirs.operator(['--sweep', 'release'], { endpoint });
    const [mine, other] = [await untilAttached(ours, '10.0.77.1'), await untilAttached(theirs, '10.0.78.1')];
    expect(mine).not.toBe(other);
    expect(ours.ec2.snapshot().addresses).toHaveLength(2);

    expect(await first.stop()).toBe(0);
    await ours.operator(['--sweep', 'release']);
    await ours.deleteEip('web');
    await eventually(async () => (await ours.eip('web')) === undefined, { timeoutMs: 10_000 });
    expect(await untilAttached(theirs, '10.0.78.1')).toBe(other);
    expect(ours.ec2.snapshot().addresses.map(({ publicIp }) => publicIp)).toEqual([other]);
    expect(ours.calls('AllocateAddress')).toBe(2);
  }, 60_000);
});
