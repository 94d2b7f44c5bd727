import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startWorld } from '@static-ip/testkit';
import type { NewNode, OperatorProcess, World } from '@static-ip/testkit';

const POOL = { pool: 'a' };
const README = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');

/** What Cilium's operator lists in the status of a node that it serves. */
const ENI_STATUS = { eni: { enis: { 'eni-0000000000000000a': { id: 'eni-0000000000000000a', number: 0 } } } };
const AZURE_STATUS = { azure: { interfaces: [{ id: '/subscriptions/s/resourceGroups/g/interface' }] } };

let world: World;
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

/** Waits until the operator has judged a node so: without it, nothing done could as well mean nothing seen. */
async function untilJudged(operator: OperatorProcess, reason: string): Promise<void> {
  await eventually(
    async () => {
      const metrics = await (await fetch(operator.metricsUrl)).text();
      return metrics.split('\n').some((line) => line.startsWith('static_ip_claims{') && line.includes(`"${reason}"`));
    },
    { timeoutMs: 10_000 },
  );
}

async function isObserved(node: Omit<NewNode, 'name'>): Promise<void> {
  world.addPool(1, POOL);
  await world.addNode({ ...node, name: 'n1', tags: POOL });
  const operator = await world.operator();
  await untilJudged(operator, 'ManagedByCilium');
  expect(await world.assigned('n1')).toBeUndefined();
  expect(world.calls('AssociateAddress')).toBe(0);
}

async function isServed(node: Omit<NewNode, 'name'>): Promise<void> {
  const [ip] = world.addPool(1, POOL);
  await world.addNode({ ...node, name: 'n1', tags: POOL });
  await world.operator();
  expect(await world.untilAssigned('n1')).toBe(ip);
}

async function isServedOnceTagsAreWritten(): Promise<void> {
  const [ip] = world.addPool(1, POOL);
  await world.addNode({ name: 'n1', withoutInstanceId: true });
  const operator = await world.operator();
  await untilJudged(operator, 'NotRequested');
  await world.cluster.api.patch('/apis/cilium.io/v2/ciliumnodes/n1', { spec: { ipam: { 'static-ip-tags': POOL } } });
  expect(await world.untilAssigned('n1')).toBe(ip);
}

/** Each row of the README's table: Cilium's version, IPAM mode, and what such a node looks like and gets. */
const ROWS: readonly (readonly [string, string, () => Promise<void>])[] = [
  ['1.17, 1.18', 'ENI', () => isObserved({ eni: { 'first-interface-index': 1 }, status: ENI_STATUS })],
  ['1.17, 1.18', 'Azure, Alibaba Cloud', () => isObserved({ status: AZURE_STATUS })],
  ['1.17, 1.18', 'cluster-pool, kubernetes, multi-pool, crd, delegated', isServedOnceTagsAreWritten],
  ['newer¹', 'ENI', () => isObserved({ status: ENI_STATUS })],
  ['newer¹', 'Azure', () => isObserved({ status: AZURE_STATUS })],
  // What is configured for ENI but not at work is no sign of Cilium's operator.
  [
    'newer¹',
    'cluster-pool, kubernetes, multi-pool, crd, delegated',
    () => isServed({ withoutInstanceId: true, eni: { 'first-interface-index': 1 } }),
  ],
];

/** Its test comes last, as the cluster's CRD then lacks the key. */
const OLD = ['up to 1.16', 'any'] as const;

describe('a node of Cilium, by version and IPAM mode', () => {
  beforeAll(async () => {
    world = await startWorld();
  }, 90_000);
  beforeEach(() => world.reset());

  it('is in the table of the README: each row is one of these tests', () => {
    const rows = README.split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, version = '']) => /^(up to )?\d|^newer/.test(version));
    expect(rows.map(([, version, mode]) => [version, mode])).toEqual([OLD, ...ROWS.map(([v, m]) => [v, m])]);
  });

  it.each(ROWS)('%s, %s: is treated as the table says', async (_version, _mode, scenario) => {
    await scenario();
  });

  it('where Cilium serves it: is reported when its status names an address that the cloud does not show', async () => {
    await world.addNode({ name: 'n1', tags: POOL, status: ENI_STATUS, assignedStaticIp: '203.0.113.99' });
    await world.operator();
    await eventually(async () => (await world.events({ name: 'n1', reason: 'DriftObserved' })).length > 0, {
      timeoutMs: 10_000,
    });
    expect(await world.assigned('n1')).toBe('203.0.113.99');
  });

  it('is acted upon everywhere with --cilium-nodes=act, and nowhere with observe', async () => {
    const [ip] = world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL, status: ENI_STATUS });
    await world.addNode({ name: 'n2', tags: { pool: 'b' } });
    world.addPool(1, { pool: 'b' });
    const observing = await world.operator(['--cilium-nodes=observe']);
    await untilJudged(observing, 'ManagedByCilium');
    expect(world.calls('AssociateAddress')).toBe(0);
    await observing.stop();
    await world.operator(['--cilium-nodes=act']);
    expect(await world.untilAssigned('n1')).toBe(ip);
  });

  it(`${OLD.join(', ')}: has no tags, as its CRD drops them, and gets nothing`, async () => {
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ciliumnodes.cilium.io';
    const key = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/ipam/properties/static-ip-tags';
    await world.cluster.api.patch(crd, [{ op: 'remove', path: key }], { type: 'json' });
    world.addPool(1, POOL);
    // The server takes up the new schema a moment later.
    await eventually(
      async () => {
        await world.reset();
        await world.addNode({ name: 'n1', tags: POOL });
        return (await world.ciliumNode('n1'))?.spec.ipam['static-ip-tags'] === undefined;
      },
      { timeoutMs: 10_000, intervalMs: 500 },
    );
    const operator = await world.operator();
    await untilJudged(operator, 'NotRequested');
    expect(world.calls('AssociateAddress')).toBe(0);
  });
});
