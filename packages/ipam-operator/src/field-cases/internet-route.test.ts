import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startEipWorld } from '@static-ip/testkit';
import type { EipWorld, OperatorProcess } from '@static-ip/testkit';

const IP = '10.0.77.1';
const POOL = { pool: 'a' };
const TABLE = 'rtb-0123456789abcdef0';
const NAT = { destination: '0.0.0.0/0', gatewayId: 'nat-0123456789abcdef0' };

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld({ audit: true, args: ['--resync-interval', '300ms'] });
}, 90_000);
beforeEach(async () => {
  await world.reset();
  await world.addPodNode({ name: 'n1', podIps: [IP] });
  await world.addPod({ name: 'web-0', ip: IP });
  await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

/** The subnet of the pod's interface gets a table of its own. Answers the subnet. */
function route(routes: readonly (typeof NAT)[]): string {
  const { subnetId, vpcId } = world.ec2.snapshot().interfaces.find(({ privateIps }) => privateIps.includes(IP)) ?? {};
  if (subnetId === undefined || vpcId === undefined) throw new Error(`no interface has ${IP}`);
  world.ec2.addRouteTable({ id: TABLE, vpcId, subnetIds: [subnetId], routes });
  return subnetId;
}

interface Shown {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

async function conditions(): Promise<Readonly<Record<string, Shown>>> {
  const shown: unknown = (await world.eip('web'))?.status?.['conditions'] ?? [];
  const list: readonly Shown[] = JSON.parse(JSON.stringify(shown));
  return Object.fromEntries(list.map((one) => [one.type, one]));
}

async function untilTold(type: string): Promise<Shown> {
  return eventually(
    async () => {
      const one = (await conditions())[type];
      if (one === undefined) throw new Error(`no condition ${type}`);
      return one;
    },
    { timeoutMs: 15_000 },
  );
}

const asks = (): number => world.calls('DescribeRouteTables');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function told(operator: OperatorProcess, message: string): number {
  return operator.log().filter((line) => line['message'] === message).length;
}

function writes(): number {
  const lines = readFileSync(world.cluster.auditLogFile, 'utf8').split('\n');
  return lines.filter((line) => line.includes('system:serviceaccount:') && !line.includes('"leases"')).length;
}

describe('a subnet without a route to an internet gateway', () => {
  it('B21: is named, with its route table, on an Eip that is ready all the same, and once', async () => {
    const subnet = route([NAT]);
    await world.operator();
    const ip = await world.untilAttached('web', IP);
    const message = `${ip} is attached, but the route table ${TABLE} of the subnet ${subnet} has no route to an internet gateway: its default route is to ${NAT.gatewayId}`;
    expect(await untilTold('InternetRoute')).toMatchObject({ status: 'False', reason: 'NoInternetRoute', message });
    expect((await conditions())['Ready']).toMatchObject({ status: 'True' });
    for (const name of ['web', 'web-0']) {
      await world.untilEvent(name, 'NoInternetRoute');
      expect(await world.events({ name, reason: 'NoInternetRoute' })).toMatchObject([
        { type: 'Warning', note: message },
      ]);
    }
    await pause(1_000);
    const [written, asked] = [writes(), asks()];
    await pause(2_000);
    expect([writes() - written, asks() - asked, asked]).toEqual([0, 0, 1]);
  }, 60_000);

  it('B21: is no longer spoken of once it has one', async () => {
    route([NAT]);
    const first = await world.operator();
    await untilTold('InternetRoute');
    await world.untilEvent('web', 'NoInternetRoute');
    route([{ destination: '0.0.0.0/0', gatewayId: 'igw-0123456789abcdef0' }]);
    // The tables that were read are kept for a while; a new process reads them anew.
    await first.stop();
    await world.operator();
    await eventually(async () => (await conditions())['InternetRoute'] === undefined, { timeoutMs: 15_000 });
    expect((await conditions())['Ready']).toMatchObject({ status: 'True' });
    expect(await world.events({ name: 'web', reason: 'NoInternetRoute' })).toMatchObject([{ count: 1 }]);
  }, 60_000);

  it('B21: is told on the CiliumNode and the Node as well', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'n2', tags: POOL });
    const subnet = route([NAT]);
    await world.operator();
    await world.untilAssigned('n2');
    await world.untilEvent('n2', 'NoInternetRoute');
    const events = await world.events({ name: 'n2', reason: 'NoInternetRoute' });
    expect(events.map(({ kind }) => kind).toSorted()).toEqual(['CiliumNode', 'Node']);
    expect(events[0]?.note).toContain(`${TABLE} of the subnet ${subnet}`);
  }, 60_000);

  it('B21: goes unnoticed where route tables may not be read, which is said once and holds up nothing', async () => {
    route([NAT]);
    world.ec2.configure({ credentials: { operator: { deniedActions: ['DescribeRouteTables'] } } });
    const operator = await world.operator();
    await world.untilAttached('web', IP);
    const refused = 'Not looking at routes: the cloud refuses it';
    await eventually(() => told(operator, refused) === 1, { timeoutMs: 15_000 });
    await pause(2_000);
    expect([told(operator, refused), asks()]).toEqual([1, 1]);
    expect(Object.keys(await conditions())).toEqual(['Ready']);
    expect(await world.events({ reason: 'NoInternetRoute' })).toEqual([]);
    expect((await fetch(`${operator.healthUrl}/readyz`)).ok).toBe(true);
  }, 60_000);
});
