import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startChaosProxy, startWorld } from '@static-ip/testkit';
import type { ChaosProxy, CiliumNodeObject, OperatorProcess, World } from '@static-ip/testkit';

const POOL = { pool: 'a' };
const NAMES = Array.from({ length: 10 }, (_, n) => `n${n}`);

let world: World;
let proxy: ChaosProxy;
beforeAll(async () => {
  world = await startWorld();
  proxy = await startChaosProxy(world.cluster);
});
beforeEach(async () => {
  await proxy.pass();
  await world.reset();
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function operatorBehindProxy(args: readonly string[] = []): Promise<OperatorProcess> {
  return world.operator(args, { kubeconfig: world.cluster.writeKubeconfig({ server: proxy.url }) });
}

async function resourceVersions(): Promise<readonly string[]> {
  const nodes = await world.cluster.api.list<CiliumNodeObject>('/apis/cilium.io/v2/ciliumnodes');
  return nodes.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion ?? ''}`).toSorted();
}

async function readiness(operator: OperatorProcess): Promise<string> {
  const response = await fetch(`${operator.healthUrl}/readyz`);
  return `${response.status} ${await response.text()}`;
}

describe('when the operator is killed', () => {
  it('B55: between Associate and the status write, it converges without another Associate', async () => {
    world.addPool(1, POOL);
    const id = world.ec2.injectFault({ kind: 'pause', point: 'after-effect', action: 'AssociateAddress' });
    await world.addNode({ name: 'n1', tags: POOL });
    const first = await world.operator();
    await world.ec2.pauseReached({ id, timeoutMs: 10_000 });
    await first.kill();
    world.ec2.releasePause({ id });
    await world.operator();
    await world.untilAssigned('n1');
    expect(world.calls('AssociateAddress')).toBe(1);
  });

  it('B55: settled, it costs no mutating call and no write to start again', async () => {
    world.addPool(10, POOL);
    for (const name of NAMES) await world.addNode({ name, tags: POOL });
    const first = await world.operator();
    for (const name of NAMES) await world.untilAssigned(name);
    await first.stop();
    const before = await resourceVersions();
    world.ec2.forget();
    const second = await world.operator();
    await eventually(async () => (await readiness(second)).startsWith('200'), { timeoutMs: 10_000 });
    await sleep(2_500);
    expect(world.calls('AssociateAddress') + world.calls('DisassociateAddress')).toBe(0);
    expect(await resourceVersions()).toEqual(before);
  });

  it('B55: fills in a status that was blanked, without an Associate', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    const ip = await world.untilAssigned('n1');
    await world.cluster.api.patchStatus('/apis/cilium.io/v2/ciliumnodes/n1', { ipam: { 'assigned-static-ip': null } });
    expect(await world.untilAssigned('n1')).toBe(ip);
    expect(world.calls('AssociateAddress')).toBe(1);
  });
});

describe('when the cloud misbehaves', () => {
  it('B47: reads that are 5 s old give no address twice and no needless call', async () => {
    world.addPool(10, POOL);
    for (const name of NAMES) world.ec2.addInstance({ id: world.instanceOf(name) });
    world.ec2.configure({ visibility: { staleMs: 5_000 } });
    await world.operator(['--resync-interval', '30s']);
    // The instances are older than what the reads hide: this is about associations.
    await sleep(5_000);
    await Promise.all(NAMES.map((name) => world.addNode({ name, tags: POOL })));
    const ips = await Promise.all(NAMES.map((name) => world.untilAssigned(name, 20_000)));
    expect(new Set(ips).size).toBe(10);
    expect(world.calls('AssociateAddress')).toBe(10);
  }, 40_000);

  it('B43: a throttled account delays, and nothing else', async () => {
    world.addPool(5, POOL);
    world.ec2.injectFault({ kind: 'throttle', times: 6 });
    await world.operator();
    for (const name of NAMES.slice(0, 5)) await world.addNode({ name, tags: POOL });
    for (const name of NAMES.slice(0, 5)) await world.untilAssigned(name, 20_000);
    const events = await world.events();
    expect(events.filter(({ type }) => type === 'Warning')).toEqual([]);
  }, 40_000);

  it('B57: refused calls change no status, make it not ready, and are told once', async () => {
    world.addPool(3, POOL);
    for (const name of NAMES.slice(0, 3)) await world.addNode({ name, tags: POOL });
    const operator = await world.operator();
    for (const name of NAMES.slice(0, 3)) await world.untilAssigned(name);
    const before = await resourceVersions();
    const id = world.ec2.injectFault({ kind: 'deny' });
    await eventually(async () => (await readiness(operator)).includes('the cloud refuses'), { timeoutMs: 8_000 });
    await sleep(2_000);
    expect(await resourceVersions()).toEqual(before);
    const denied = await world.events({ reason: 'AccessDenied' });
    expect(new Set(denied.map(({ name }) => name)).size).toBe(1);
    expect(denied.map(({ kind }) => kind).toSorted()).toEqual(['CiliumNode', 'Node']);
    expect(denied[0]?.note).toContain('DescribeAddresses');
    world.ec2.removeFault({ id });
    await eventually(async () => (await readiness(operator)).startsWith('200'), { timeoutMs: 10_000 });
  });

  it('B44: a call that never answers holds up nobody else, nor the end of the process', async () => {
    world.addPool(2, POOL);
    await world.addNode({ name: 'stuck', tags: POOL });
    const { interfaces } = world.ec2.snapshot();
    const stuck = interfaces.find(({ attachment }) => attachment?.instanceId === world.instanceOf('stuck'))?.id ?? '';
    const match = { NetworkInterfaceId: stuck };
    world.ec2.injectFault({ kind: 'hang-before-effect', action: 'AssociateAddress', match, times: 'always' });
    const operator = await world.operator();
    await eventually(() => world.ec2.journal({ action: 'AssociateAddress' }).length > 0, { timeoutMs: 10_000 });
    await world.addNode({ name: 'other', tags: POOL });
    await world.untilAssigned('other', 5_000);
    const stopping = performance.now();
    expect(await operator.stop()).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(15_000);
  });

  it('B32: an instance that is not there costs fewer and fewer calls', async () => {
    world.addPool(1, POOL);
    await world.addNode({ name: 'gone', tags: POOL });
    world.ec2.setInstanceState({ instanceId: world.instanceOf('gone'), state: 'terminated' });
    await world.operator();
    await eventually(() => world.calls('DescribeNetworkInterfaces') >= 2, { timeoutMs: 10_000 });
    world.ec2.forget();
    await sleep(6_000);
    expect(world.calls('DescribeNetworkInterfaces')).toBeLessThanOrEqual(3);
  });

  it('B61: says which action is denied, once per object, and takes up work when it is allowed', async () => {
    world.addPool(1, POOL);
    const id = world.ec2.injectFault({ kind: 'deny', action: 'AssociateAddress' });
    await world.addNode({ name: 'n1', tags: POOL });
    await world.operator();
    await eventually(async () => (await world.events({ reason: 'AccessDenied' })).length === 2, { timeoutMs: 8_000 });
    const [event] = await world.events({ name: 'n1', reason: 'AccessDenied' });
    expect(event?.note).toContain('AssociateAddress');
    world.ec2.removeFault({ id });
    await world.untilAssigned('n1');
  });
});

describe('when the way to the API server breaks', () => {
  beforeEach(async () => {
    world.addPool(3, POOL);
    await world.addNode({ name: 'before', tags: POOL });
    await operatorBehindProxy(['--lease-duration', '10s']);
    await world.untilAssigned('before');
  });

  it('B50: a cut connection is taken up again, with one watch per resource', async () => {
    for (let n = 0; n < 3; n++) {
      proxy.cutConnections();
      await sleep(300);
    }
    await world.addNode({ name: 'after', tags: POOL });
    await world.untilAssigned('after');
    expect(proxy.mostOpenWatches('ciliumnodes.cilium.io')).toBe(1);
  });

  it('B49: an expired version is followed by a new list', async () => {
    proxy.failWatches({}, 410);
    await world.addNode({ name: 'after', tags: POOL });
    await world.untilAssigned('after');
  });
});
