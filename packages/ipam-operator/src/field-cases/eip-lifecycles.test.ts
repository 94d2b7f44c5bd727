import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, MANAGED, startChaosProxy, startEipWorld } from '@static-ip/testkit';
import type { ChaosProxy, EipWorld } from '@static-ip/testkit';
import { ANNOTATION, FINALIZER, LABEL, LEGACY_POD_FINALIZERS } from '../api/names.ts';

let world: EipWorld;
let proxy: ChaosProxy;
beforeAll(async () => {
  world = await startEipWorld();
  proxy = await startChaosProxy(world.cluster);
}, 90_000);
beforeEach(async () => {
  await proxy.pass();
  await world.reset();
  await world.addPodNode({ name: 'n1', podIps: ['10.0.77.1', '10.0.77.2', '10.0.77.3'] });
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

const podNamed = (podName: string) => ({ selector: { pod: { podName } } });
const podPath = (name: string): string => `/api/v1/namespaces/default/pods/${name}`;

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function until(isTrue: () => Promise<boolean> | boolean, timeoutMs = 10_000): Promise<true> {
  return eventually(isTrue, { timeoutMs });
}

async function annotation(pod: string, name: string): Promise<string | undefined> {
  return (await world.pod(pod))?.metadata.annotations?.[name];
}

/** The mutating calls so far, in order. */
function changes(): readonly string[] {
  const actions = world.ec2.journal().map(({ action }) => action);
  return actions.filter((action) => !action.startsWith('Describe'));
}

async function oneAttached(args: readonly string[] = []): Promise<string> {
  await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
  await world.addEip('web', podNamed('web-0'));
  await world.operator(args);
  return world.untilAttached('web', '10.0.77.1');
}

function readyNow(status: 'True' | 'False') {
  return { conditions: [{ type: 'Ready', status, lastTransitionTime: new Date().toISOString() }] };
}

describe('the address of an Eip', () => {
  it('B12: is the one in use when two were made for it; the other one is released', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', podNamed('web-0'));
    const uid = (await world.eip('web'))?.metadata.uid ?? '';
    const tags = { 'eip.materialize.cloud/eip_uid': uid, 'eip.materialize.cloud/cluster_name': 'prod' };
    const [first, second] = [world.ec2.addAddress({ tags }), world.ec2.addAddress({ tags })];
    const { interfaces } = world.ec2.snapshot();
    const interfaceId = interfaces.find(({ privateIps }) => privateIps.includes('10.0.77.1'))?.id ?? '';
    world.ec2.associate({ allocationId: second.allocationId, interfaceId, privateIp: '10.0.77.1', by: 'operator' });
    const status = { resourceId: 'web-0', eni: interfaceId, privateIpAddress: '10.0.77.1' };
    await world.cluster.api.patchStatus('/apis/materialize.cloud/v2/namespaces/default/eips/web', status);
    await world.operator();
    expect(await world.untilAttached('web', '10.0.77.1')).toBe(second.publicIp);
    await until(() => world.ec2.snapshot().addresses.length === 1);
    expect(changes()).toEqual(['ReleaseAddress']);
    expect(world.ec2.journal({ action: 'ReleaseAddress' })[0]?.params['AllocationId']).toBe(first.allocationId);
  });

  it('B12, B46: is allocated once while it stays hidden, without a warning', async () => {
    world.ec2.configure({ visibility: { hideNewMs: 3_000 } });
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', podNamed('web-0'));
    await world.operator(['--resync-interval', '100ms']);
    await world.untilAttached('web', '10.0.77.1', { timeoutMs: 15_000 });
    expect(world.calls('AllocateAddress')).toBe(1);
    const events = [...(await world.events({ name: 'web' })), ...(await world.events({ name: 'web-0' }))];
    expect(events.filter(({ type }) => type === 'Warning')).toEqual([]);
  });

  it('B47: is each pod’s own while reads are five seconds old', async () => {
    world.ec2.configure({ visibility: { staleMs: 5_000 } });
    world.addPool(3, { pool: 'a' });
    for (const n of [1, 2, 3]) {
      await world.addPod({ name: `web-${n}`, ip: `10.0.77.${n}` });
      await world.addEip(`web-${n}`, { ...podNamed(`web-${n}`), staticIpTags: { pool: 'a' } });
    }
    await pause(5_000);
    await world.operator();
    const ips = [1, 2, 3].map((n) => world.untilAttached(`web-${n}`, `10.0.77.${n}`, { timeoutMs: 20_000 }));
    expect(new Set(await Promise.all(ips)).size).toBe(3);
    expect(changes()).toEqual(Array.from({ length: 3 }, () => 'AssociateAddress'));
  });

  it('B22: is attached once when the answer is lost', async () => {
    world.ec2.injectFault({ kind: 'reset-after-effect', action: 'AssociateAddress' });
    await oneAttached();
    expect(changes()).toEqual(['AllocateAddress', 'AssociateAddress']);
  });

  it('B28: is allocated once when the answer is lost', async () => {
    world.ec2.injectFault({ kind: 'reset-after-effect', action: 'AllocateAddress' });
    await oneAttached();
    expect(changes()).toEqual(['AllocateAddress', 'AssociateAddress']);
  });

  it('is put back when somebody pulls it off, and made anew when it is gone', async () => {
    const ip = await oneAttached(['--visibility-window', '1s']);
    const { allocationId } = world.ec2.snapshot().addresses[0] ?? { allocationId: '' };
    world.ec2.disassociate({ allocationId });
    await until(() => world.onPrivate('10.0.77.1') === ip);
    world.ec2.dropAddress({ allocationId });
    await until(async () => {
      const id = (await world.eip('web'))?.status?.['allocationId'] ?? allocationId;
      return id !== allocationId;
    });
    expect(await world.untilAttached('web', '10.0.77.1')).not.toBe(ip);
    await until(async () => (await annotation('web-0', ANNOTATION.externalDnsTarget)) !== ip);
  });

  it('is swapped without a gap when the tags change', async () => {
    const [old] = world.addPool(1, { pool: 'a' });
    const [next] = world.addPool(1, { pool: 'b' });
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { ...podNamed('web-0'), staticIpTags: { pool: 'a' } });
    await world.operator();
    expect(await world.untilAttached('web', '10.0.77.1')).toBe(old);
    const path = '/apis/materialize.cloud/v2/namespaces/default/eips/web';
    await world.cluster.api.patch(path, { spec: { staticIpTags: { pool: 'c' } } });
    await world.untilEvent('web', 'NoAddressMatches');
    expect(world.onPrivate('10.0.77.1')).toBe(old);
    await world.cluster.api.patch(path, { spec: { staticIpTags: { pool: 'b' } } });
    await until(() => world.onPrivate('10.0.77.1') === next);
    expect(await world.untilAttached('web', '10.0.77.1')).toBe(next);
    expect(changes()).toEqual(['AssociateAddress', 'AssociateAddress']);
    await until(async () => (await annotation('web-0', ANNOTATION.externalDnsTarget)) === next);
  });
});

describe('a pod that goes', () => {
  it('B23: whose association is gone costs no call but the release', async () => {
    await oneAttached();
    const { allocationId } = world.ec2.snapshot().addresses[0] ?? { allocationId: '' };
    await world.addPod({ name: 'own', ip: '10.0.77.2', labels: { ...MANAGED, [LABEL.autocreateEip]: 'True' } });
    await world.untilAttached('own', '10.0.77.2');
    world.ec2.forget();
    const id = world.ec2.injectFault({ kind: 'deny', action: 'AssociateAddress' });
    for (const address of world.ec2.snapshot().addresses) {
      world.ec2.disassociate({ allocationId: address.allocationId });
    }
    for (const name of ['web', 'own']) {
      await until(async () => ((await world.eip(name))?.status?.['associationId'] ?? null) === null);
    }
    await world.deletePod('web-0');
    await world.deletePod('own');
    await until(async () => (await world.pod('web-0')) === undefined && (await world.eip('own')) === undefined);
    world.ec2.removeFault({ id });
    expect(world.calls('DisassociateAddress')).toBe(0);
    expect(world.ec2.snapshot().addresses).toMatchObject([{ allocationId, association: undefined }]);
  });

  it('B23: whose address somebody has taken elsewhere leaves it there', async () => {
    await oneAttached();
    const { allocationId } = world.ec2.snapshot().addresses[0] ?? { allocationId: '' };
    const { interfaces } = world.ec2.snapshot();
    const interfaceId = interfaces.find(({ privateIps }) => privateIps.includes('10.0.77.3'))?.id ?? '';
    world.ec2.forget();
    world.ec2.associate({ allocationId, interfaceId, privateIp: '10.0.77.3' });
    await world.untilEvent('web', 'AddressInUse');
    await world.deletePod('web-0');
    await until(async () => (await world.pod('web-0')) === undefined);
    await world.deleteEip('web');
    await until(async () => (await world.eip('web')) === undefined);
    expect(changes()).toEqual([]);
    expect(world.onPrivate('10.0.77.3')).toBeDefined();
  });

  it('B26: before it had an address or a node takes its Eip with it in seconds', async () => {
    await world.addPod({ name: 'own', node: undefined, labels: { ...MANAGED, [LABEL.autocreateEip]: 'true' } });
    await world.operator();
    await until(async () => (await world.eip('own')) !== undefined);
    await world.cluster.api.patch(podPath('own'), { metadata: { finalizers: [FINALIZER.pod] } });
    await world.deletePod('own');
    await until(async () => (await world.pod('own')) === undefined && (await world.eip('own')) === undefined, 5_000);
    expect(world.ec2.snapshot().addresses).toEqual([]);
  });

  it('B26: during the allocation takes its Eip and the address with it', async () => {
    await world.addPod({ name: 'own', ip: '10.0.77.1', labels: { ...MANAGED, [LABEL.autocreateEip]: 'true' } });
    const id = world.ec2.injectFault({ kind: 'pause', point: 'after-effect', action: 'AllocateAddress' });
    await world.operator();
    await world.ec2.pauseReached({ id });
    await world.deletePod('own');
    world.ec2.releasePause({ id });
    await until(async () => (await world.pod('own')) === undefined && (await world.eip('own')) === undefined);
    expect(world.ec2.snapshot().addresses).toEqual([]);
  });

  it('B30: while nobody looked is finished, with its Eip and address, by the next operator', async () => {
    await world.addPod({ name: 'own', ip: '10.0.77.1', labels: { ...MANAGED, [LABEL.autocreateEip]: 'true' } });
    const operator = await world.operator();
    await world.untilAttached('own', '10.0.77.1');
    await until(async () => (await annotation('own', ANNOTATION.allocationId)) !== undefined);
    await operator.kill();
    await world.deletePod('own');
    await world.deleteEip('own');
    await world.cluster.api.delete('/api/v1/nodes/n1');
    await world.operator();
    await until(async () => (await world.pod('own')) === undefined && (await world.eip('own')) === undefined);
    expect(world.ec2.snapshot().addresses).toEqual([]);
  });

  it('B38: and comes back under its name keeps its address, however late the old one is taken off', async () => {
    const ip = await oneAttached();
    world.ec2.injectFault({ kind: 'delay', action: 'DisassociateAddress', ms: 3_000 });
    await world.deletePod('web-0');
    // The finalizer holds the old one: it is forced, as a user might.
    await world.cluster.api.patch(podPath('web-0'), { metadata: { finalizers: null } });
    await until(async () => (await world.pod('web-0')) === undefined);
    await world.addPod({ name: 'web-0', ip: '10.0.77.2' });
    expect(await world.untilAttached('web', '10.0.77.2', { timeoutMs: 15_000 })).toBe(ip);
    await pause(3_500);
    expect(world.onPrivate('10.0.77.2')).toBe(ip);
    expect(changes()).toEqual(['AllocateAddress', 'AssociateAddress', 'DisassociateAddress', 'AssociateAddress']);
    await until(async () => (await annotation('web-0', ANNOTATION.externalDnsTarget)) === ip);
  });

  it('B39: after it has finished does not disturb the pod that has its private address now', async () => {
    await world.addPod({ name: 'job', ip: '10.0.77.1' });
    await world.addEip('job', podNamed('job'));
    await world.operator();
    await world.untilAttached('job', '10.0.77.1');
    await world.setPodStatus('job', { phase: 'Succeeded' });
    await until(() => world.onPrivate('10.0.77.1') === undefined);
    await world.addPod({ name: 'next', ip: '10.0.77.1' });
    await world.addEip('next', podNamed('next'));
    const ip = await world.untilAttached('next', '10.0.77.1');
    world.ec2.forget();
    await world.deletePod('job');
    await until(async () => (await world.pod('job')) === undefined);
    await world.deleteEip('job');
    await until(async () => (await world.eip('job')) === undefined);
    expect(world.onPrivate('10.0.77.1')).toBe(ip);
    expect(changes()).toEqual(['ReleaseAddress']);
  });

  it('is followed by the next pod with the labels, with the same address', async () => {
    const labels = { ...MANAGED, app: 'web' };
    await world.addPod({ name: 'web-x1', ip: '10.0.77.1', labels });
    await world.addEip('web', { selector: { pod: { labels: { app: 'web' } } } });
    await world.operator();
    const ip = await world.untilAttached('web', '10.0.77.1');
    await world.addPod({ name: 'web-y2', ip: '10.0.77.2', labels });
    await world.deletePod('web-x1');
    expect(await world.untilAttached('web', '10.0.77.2')).toBe(ip);
    expect(world.calls('AllocateAddress')).toBe(1);
  });
});

describe('a pod that stays', () => {
  it('loses the address and what it says of it with its label', async () => {
    await oneAttached();
    await until(async () => (await annotation('web-0', ANNOTATION.allocationId)) !== undefined);
    await world.cluster.api.patch(podPath('web-0'), { metadata: { labels: { [LABEL.manage]: null } } });
    await until(() => world.onPrivate('10.0.77.1') === undefined);
    await until(async () => {
      const { annotations = {}, finalizers = [] } = (await world.pod('web-0'))?.metadata ?? {};
      return Object.keys(annotations).length === 0 && finalizers.length === 0;
    });
    expect(world.ec2.snapshot().addresses).toHaveLength(1);
  });

  it('loses what it says of the address when another pod with the labels takes over', async () => {
    const labels = { ...MANAGED, app: 'web' };
    await world.addPod({ name: 'web-x1', ip: '10.0.77.1', labels });
    await world.setPodStatus('web-x1', readyNow('True'));
    await world.addEip('web', { selector: { pod: { labels: { app: 'web' } } } });
    await world.operator(['--unready-grace', '2s']);
    const ip = await world.untilAttached('web', '10.0.77.1');
    await world.addPod({ name: 'web-y2', ip: '10.0.77.2', labels });
    await world.setPodStatus('web-y2', readyNow('True'));
    await world.setPodStatus('web-x1', readyNow('False'));
    await pause(1_000);
    expect(world.onPrivate('10.0.77.1')).toBe(ip);
    expect(await world.untilAttached('web', '10.0.77.2')).toBe(ip);
    await until(async () => (await annotation('web-x1', ANNOTATION.externalDnsTarget)) === undefined);
    await until(async () => (await annotation('web-y2', ANNOTATION.externalDnsTarget)) === ip);
  });

  it('B42: shows the address after the cloud has confirmed it, and no longer than it has it', async () => {
    world.ec2.configure({ visibility: { staleMs: 2_000 } });
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', podNamed('web-0'));
    await pause(2_000);
    await world.operator();
    await until(() => world.onPrivate('10.0.77.1') !== undefined);
    expect(await annotation('web-0', ANNOTATION.externalDnsTarget)).toBeUndefined();
    expect((await world.eip('web'))?.status?.['associationId'] ?? null).toBeNull();
    const ip = await world.untilAttached('web', '10.0.77.1');
    await until(async () => (await annotation('web-0', ANNOTATION.externalDnsTarget)) === ip);
    await world.deleteEip('web');
    await until(async () => (await annotation('web-0', ANNOTATION.externalDnsTarget)) === undefined);
    await until(async () => (await world.eip('web')) === undefined);
    expect(await annotation('web-0', ANNOTATION.allocationId)).toBeUndefined();
  });

  it('B42: keeps the DNS name that its user has set, with and without the address', async () => {
    const annotations = { [ANNOTATION.externalDnsTarget]: 'user.example' };
    await world.addPod({ name: 'web-0', ip: '10.0.77.1', annotations });
    await world.addEip('web', podNamed('web-0'));
    await world.operator();
    await world.untilAttached('web', '10.0.77.1');
    await until(async () => (await annotation('web-0', ANNOTATION.allocationId)) !== undefined);
    const version = (await world.pod('web-0'))?.metadata.resourceVersion;
    await pause(2_500);
    expect((await world.pod('web-0'))?.metadata.resourceVersion).toBe(version);
    expect(await annotation('web-0', ANNOTATION.externalDnsTarget)).toBe('user.example');
    await world.deleteEip('web');
    await until(async () => (await annotation('web-0', ANNOTATION.allocationId)) === undefined);
    expect(await annotation('web-0', ANNOTATION.externalDnsTarget)).toBe('user.example');
  });

  it('B42: that is gone at the moment it is told of its address is no failure', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', podNamed('web-0'));
    const token = world.cluster.writeKubeconfig({ server: proxy.url });
    proxy.fault({
      match: { method: 'PATCH', path: /pods\/web-0\?.*fieldManager=eip/ },
      action: { type: 'delay', ms: 1_000 },
    });
    const operator = await world.operator([], { kubeconfig: token });
    await world.untilAttached('web', '10.0.77.1');
    await world.deletePod('web-0');
    await world.cluster.api.patch(podPath('web-0'), { metadata: { finalizers: null } });
    await until(() => world.onPrivate('10.0.77.1') === undefined);
    await pause(1_000);
    expect(operator.log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is freed of the finalizers of earlier times', async () => {
    await world.addPod({ name: 'old', ip: '10.0.77.1', finalizers: [...LEGACY_POD_FINALIZERS, 'example.com/kept'] });
    await world.operator();
    await until(async () => (await world.pod('old'))?.metadata.finalizers?.join() === 'example.com/kept');
  });
});
