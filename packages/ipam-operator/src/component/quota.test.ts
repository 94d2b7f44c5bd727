import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AUTOCREATED, eventually, startEipWorld } from '@static-ip/testkit';
import type { EipWorld, OperatorProcess } from '@static-ip/testkit';

/** An interval that a test can wait for. */
const FAST = ['--quota-interval', '300ms'];
const NODES_ONLY = ['--sources', 'cilium-node'];
const QUOTA_READS = ['GetServiceQuota', 'GetAWSDefaultServiceQuota', 'DescribeAccountAttributes'] as const;

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld();
}, 120_000);
beforeEach(() => world.reset());
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

function deny(deniedActions: readonly string[]): void {
  world.ec2.configure({ credentials: { operator: { status: 'valid', deniedActions: [...deniedActions] } } });
}

/** The samples of the quota's metrics: used, and the limit where it is known. */
async function samplesOf({ metricsUrl }: OperatorProcess): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text.matchAll(/^static_ip_address_quota_(\w+) (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]));
}

async function untilSamples(operator: OperatorProcess, samples: Readonly<Record<string, number>>): Promise<void> {
  await eventually(async () => expect(await samplesOf(operator)).toEqual(samples), { timeoutMs: 10_000 });
}

const linesOf = (operator: OperatorProcess, part: string): number =>
  operator.log().filter(({ message }) => String(message).includes(part)).length;

async function readyMessageOf(name: string): Promise<string> {
  const conditions = (await world.eip(name))?.status?.['conditions'];
  return JSON.stringify(conditions ?? []);
}

async function addPods(count: number): Promise<void> {
  const podIps = Array.from({ length: count }, (_, n) => `10.0.77.${n + 1}`);
  await world.addPodNode({ name: 'n1', podIps });
  await Promise.all(podIps.map((ip, n) => world.addPod({ name: `web-${n}`, ip, labels: AUTOCREATED })));
}

describe('the quota of the account', () => {
  it('is a metric, is warned of, and is named where it stands in the way of an address', async () => {
    world.ec2.configure({ addressQuota: 3 });
    world.ec2.addAddress({ pool: 'ipv4pool-ec2-1' });
    world.ec2.addAddress({});
    await addPods(3);
    const operator = await world.operator(FAST);
    await untilSamples(operator, { used: 3, limit: 3 });
    const refused = await eventually(
      async () => {
        for (const name of ['web-0', 'web-1', 'web-2']) {
          const message = await readyMessageOf(name);
          if (message.includes('QuotaExceeded') && message.includes('used 3 of 3')) return name;
        }
        throw new Error('nobody is refused yet');
      },
      { timeoutMs: 20_000 },
    );
    expect(refused).toMatch(/^web-/);
    expect(linesOf(operator, 'nearly used up')).toBe(1);
    world.ec2.configure({ addressQuota: 4 });
    await world.untilAttached(refused, `10.0.77.${Number(refused.at(-1)) + 1}`, { timeoutMs: 30_000 });
    await untilSamples(operator, { used: 4, limit: 3 });
  }, 90_000);

  it('is found out another way, or counted without its limit, where rights are missing, and all else goes on', async () => {
    world.ec2.configure({ addressQuota: 30 });
    deny(['GetServiceQuota', 'GetAWSDefaultServiceQuota']);
    await addPods(1);
    const first = await world.operator(FAST);
    await untilSamples(first, { used: 1, limit: 30 });
    await world.untilAttached('web-0', '10.0.77.1');
    expect(first.log().find(({ remark }) => remark !== undefined)).toMatchObject({
      remark: 'GetServiceQuota failed with AccessDeniedException',
    });
    expect(await first.stop()).toBe(0);

    deny(QUOTA_READS);
    const second = await world.operator(FAST);
    await untilSamples(second, { used: 1 });
    world.ec2.forget();
    await eventually(() => world.calls('DescribeAddresses') > 8, { timeoutMs: 20_000 });
    // The limit is not asked for again each time, nor is its absence told again.
    for (const action of QUOTA_READS) expect(world.calls(action)).toBe(0);
    expect(linesOf(second, 'The quota of addresses')).toBe(1);
    const ready = await (await fetch(`${second.healthUrl}/readyz`)).json();
    expect(JSON.stringify(ready)).not.toContain('refuses');
  }, 90_000);

  it('that nobody answers about keeps no claim waiting, and no process from its end', async () => {
    deny(['GetServiceQuota']);
    world.ec2.injectFault({ kind: 'hang-before-effect', action: 'DescribeAccountAttributes' });
    await world.addPodNode({ name: 'n1', podIps: ['10.0.77.1'] });
    const operator = await world.operator(FAST);
    await eventually(() => world.ec2.journal({ action: 'DescribeAccountAttributes' }).length > 0, {
      timeoutMs: 20_000,
    });
    await world.addPod({ name: 'web-0', ip: '10.0.77.1', labels: AUTOCREATED });
    await world.untilAttached('web-0', '10.0.77.1', { timeoutMs: 4_000 });
    const stoppedMs = performance.now();
    expect(await operator.stop()).toBe(0);
    expect(performance.now() - stoppedMs).toBeLessThan(3_000);
  }, 60_000);

  it.each([
    ['--quota-interval is 0', ['--quota-interval', '0s']],
    ['no Eips are served', [...FAST, ...NODES_ONLY]],
  ])(
    'is not asked for when %s',
    async (_name, args) => {
      world.addPool(1, { pool: 'a' });
      await world.addNode({ name: 'gw', tags: { pool: 'a' } });
      const operator = await world.operator(args);
      await world.untilAssigned('gw');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await samplesOf(operator)).toEqual({});
      const unfiltered = world.ec2
        .journal({ action: 'DescribeAddresses' })
        .filter(({ params }) => !('Filter.1.Name' in params));
      expect([unfiltered, world.calls('GetServiceQuota')]).toEqual([[], 0]);
    },
    60_000,
  );
});
