import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, MANAGED, startChaosProxy, startEipWorld } from '@static-ip/testkit';
import type { ChaosProxy, EipWorld, KubeObject } from '@static-ip/testkit';
import { FINALIZER, LABEL } from '../api/names.ts';

const GATEWAYS = { ...MANAGED, gateway: 'a' };
const FOR_GATEWAYS = { selector: { node: { selector: { gateway: 'a' } } } };
const GRACE = ['--unready-grace', '3s'];

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld();
}, 90_000);
beforeEach(() => world.reset());
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

async function addGateways(...names: readonly string[]): Promise<void> {
  for (const name of names) await world.addNode({ name, labels: GATEWAYS });
}

/** The name of the only node that holds the Eip's address, once status and cloud agree. */
function untilHeld(eip: string, how: { readonly not?: string; readonly namespace?: string } = {}): Promise<string> {
  return eventually(
    async () => {
      const status = (await world.eip(eip, how.namespace))?.status ?? {};
      const { resourceId: name } = status;
      if (typeof name !== 'string' || name === how.not || typeof status['associationId'] !== 'string') {
        throw new Error(JSON.stringify(status));
      }
      if (world.held(name) !== status['publicIpAddress']) throw new Error(`${name}: ${JSON.stringify(status)}`);
      return name;
    },
    { timeoutMs: 12_000 },
  );
}

function until(isTrue: () => Promise<boolean> | boolean, timeoutMs = 10_000): Promise<true> {
  return eventually(isTrue, { timeoutMs });
}

const nodePath = (name: string): string => `/api/v1/nodes/${name}`;
const node = (name: string): Promise<KubeObject | undefined> => world.cluster.api.find<KubeObject>(nodePath(name));

async function readyLabel(name: string): Promise<string | undefined> {
  return (await node(name))?.metadata.labels?.[LABEL.egressGatewayReady];
}

async function readyLabels(...names: readonly string[]): Promise<string> {
  return (await Promise.all(names.map(readyLabel))).map((value) => value ?? '-').join(' ');
}

/** As the node controller says it; `agoMs` is since when. */
async function setReady(name: string, status: 'True' | 'False' | 'Unknown', agoMs = 0): Promise<void> {
  const lastTransitionTime = new Date(Date.now() - agoMs).toISOString();
  await world.cluster.api.patchStatus(nodePath(name), { conditions: [{ type: 'Ready', status, lastTransitionTime }] });
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

describe('an Eip for one of several nodes', () => {
  it('B11: goes to one of five with one call, and to another one when that is gone', async () => {
    await addGateways('n1', 'n2', 'n3', 'n4', 'n5');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator();
    const winner = await untilHeld('out');
    expect(winner).toBe('n1');
    expect(world.calls('AssociateAddress')).toBe(1);
    await world.cluster.api.delete(nodePath(winner));
    expect(await untilHeld('out', { not: winner })).toBe('n2');
    expect([world.calls('AssociateAddress'), world.calls('AllocateAddress')]).toEqual([2, 1]);
  });

  it('is served in every namespace', async () => {
    await world.cluster.api.applyYaml('{apiVersion: v1, kind: Namespace, metadata: {name: elsewhere}}');
    await addGateways('n1');
    await world.addEip('out', FOR_GATEWAYS, 'elsewhere');
    await world.operator();
    expect(await untilHeld('out', { namespace: 'elsewhere' })).toBe('n1');
  });

  it('B15: goes neither to a node that is not ready, nor to a cordoned or unmanaged one', async () => {
    await addGateways('unready', 'cordoned', 'right');
    await world.addNode({ name: 'unmanaged', labels: { ...GATEWAYS, [LABEL.manage]: 'false' } });
    await setReady('unready', 'False');
    await world.cluster.api.patch(nodePath('cordoned'), { spec: { unschedulable: true } });
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator();
    expect(await untilHeld('out')).toBe('right');
    expect(world.calls('AssociateAddress')).toBe(1);
  });

  it('B34: stays on a node that is unready for less than the grace time, moves after it, and does not fail back', async () => {
    await addGateways('n1', 'n2');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator(GRACE);
    expect(await untilHeld('out')).toBe('n1');
    await setReady('n1', 'Unknown');
    await pause(1_500);
    expect(world.calls('DisassociateAddress')).toBe(0);
    expect(await untilHeld('out', { not: 'n1' })).toBe('n2');
    await setReady('n1', 'True');
    await pause(1_500);
    expect(await untilHeld('out')).toBe('n2');
    const moves = world.ec2.journal().filter(({ action }) => /^(Disa|A)ssociate/.test(action));
    expect(moves.map(({ action }) => action)).toEqual(['AssociateAddress', 'DisassociateAddress', 'AssociateAddress']);
  });

  it('B34: stays on an unready node while there is no other one', async () => {
    await addGateways('n1');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator(GRACE);
    await untilHeld('out');
    await setReady('n1', 'Unknown', 60_000);
    await pause(2_500);
    expect(await untilHeld('out')).toBe('n1');
    expect(world.calls('DisassociateAddress')).toBe(0);
  });

  it('moves from a node that loses its labels', async () => {
    await addGateways('n1', 'n2');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator();
    expect(await untilHeld('out')).toBe('n1');
    await world.cluster.api.patch(nodePath('n1'), { metadata: { labels: { gateway: null } } });
    expect(await untilHeld('out', { not: 'n1' })).toBe('n2');
    await until(async () => (await readyLabels('n1', 'n2')) === 'false true');
  });
});

describe('a node that goes', () => {
  it('B35: is not held up by a cloud that does not answer, also with the finalizer of the predecessor', async () => {
    await addGateways('n1');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator();
    await untilHeld('out');
    await world.cluster.api.patch(nodePath('n1'), { metadata: { finalizers: [FINALIZER.node] } });
    const id = world.ec2.injectFault({ kind: 'error', code: 'InternalError', status: 500, times: 'always' });
    await world.cluster.api.delete(nodePath('n1'));
    await until(async () => (await node('n1')) === undefined, 5_000);
    world.ec2.terminate({ instanceId: world.instanceOf('n1'), afterMs: 0 });
    world.ec2.removeFault({ id });
    await until(async () => (await world.eip('out'))?.status?.['associationId'] === undefined, 20_000);
    expect(world.ec2.snapshot().addresses.map(({ association }) => association)).toEqual([undefined]);
  });
});

describe('the label of egress gateways', () => {
  it('B63: says who is ready with two Eips on two nodes', async () => {
    await addGateways('n1', 'n2', 'n3');
    await world.addEip('one', FOR_GATEWAYS);
    await world.addEip('two', FOR_GATEWAYS);
    await world.operator();
    const holders = [await untilHeld('one'), await untilHeld('two')];
    expect(holders.toSorted()).toEqual(['n1', 'n2']);
    await until(async () => (await readyLabels('n1', 'n2', 'n3')) === 'true true false');
    await pause(2_000);
    expect(await readyLabels('n1', 'n2', 'n3')).toBe('true true false');
  });

  it('B63: is restored after it was changed by hand', async () => {
    await addGateways('n1', 'n2');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator();
    await until(async () => (await readyLabels('n1', 'n2')) === 'true false');
    await world.cluster.api.patch(nodePath('n1'), { metadata: { labels: { [LABEL.egressGatewayReady]: 'false' } } });
    await world.cluster.api.patch(nodePath('n2'), { metadata: { labels: { [LABEL.egressGatewayReady]: null } } });
    await until(async () => (await readyLabels('n1', 'n2')) === 'true false');
  });

  it('B63: is left as it is while nobody is healthy', async () => {
    await addGateways('n1', 'n2');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator(GRACE);
    await until(async () => (await readyLabels('n1', 'n2')) === 'true false');
    for (const name of ['n1', 'n2']) await setReady(name, 'Unknown', 60_000);
    await pause(2_500);
    expect(await readyLabels('n1', 'n2')).toBe('true false');
  });

  it('is lowered when its Eip is deleted', async () => {
    await addGateways('n1');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator();
    await until(async () => (await readyLabel('n1')) === 'true');
    await world.deleteEip('out');
    await until(async () => (await readyLabel('n1')) === 'false');
    expect(world.ec2.snapshot().addresses).toEqual([]);
  });
});

describe('the order of a fail-over', () => {
  let proxy: ChaosProxy;
  beforeAll(async () => {
    proxy = await startChaosProxy(world.cluster);
  });
  afterAll(() => proxy.stop());

  it('B63: the address moves, the new node is raised, the old one is lowered', async () => {
    const kubeconfig = world.cluster.writeKubeconfig({ server: proxy.url });
    await addGateways('n1', 'n2');
    await world.addEip('out', FOR_GATEWAYS);
    await world.operator(GRACE, { kubeconfig });
    await until(async () => (await readyLabels('n1', 'n2')) === 'true false');
    proxy.clearJournal();
    // The raising write takes a while: the old node must wait for it.
    proxy.fault({ match: { method: 'PATCH', path: '/api/v1/nodes/n2' }, action: { type: 'delay', ms: 1_500 } });
    await setReady('n1', 'Unknown', 60_000);
    await untilHeld('out', { not: 'n1' });
    expect(await readyLabels('n1', 'n2')).toBe('true false');
    await until(async () => (await readyLabels('n1', 'n2')) === 'false true');
    const patches = proxy.requests({ method: 'PATCH', resource: 'nodes' });
    expect(patches.map(({ path }) => path.split('?')[0])).toEqual([nodePath('n2'), nodePath('n1')]);
  });
});
