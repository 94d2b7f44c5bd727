import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, MANAGED, startEipWorld } from '@static-ip/testkit';
import type { EipWorld } from '@static-ip/testkit';
import { parseConditions } from '../api/condition.ts';
import { ANNOTATION, LABEL } from '../api/names.ts';

const INSTANCE = 'i-00000000000000001';

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld();
}, 90_000);
beforeEach(async () => {
  await world.reset();
  await world.addPodNode({ name: 'n1', instanceId: INSTANCE, podIps: ['10.0.77.1', '10.0.77.2', '10.0.77.3'] });
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

const podNamed = (podName: string) => ({ selector: { pod: { podName } } });

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until the Eip's condition gives this reason for not being ready; resolves to its message. */
function untilReason(eip: string, reason: string): Promise<string> {
  return eventually(
    async () => {
      const ready = parseConditions((await world.eip(eip))?.status?.['conditions']).find(
        ({ type }) => type === 'Ready',
      );
      if (ready?.status !== 'False' || ready.reason !== reason) throw new Error(JSON.stringify(ready));
      return ready.message ?? '';
    },
    { timeoutMs: 10_000 },
  );
}

/** Id of the interface that has the private address. */
function interfaceOf(privateIp: string): string {
  const found = world.ec2.snapshot().interfaces.find(({ privateIps }) => privateIps.includes(privateIp));
  if (found === undefined) throw new Error(`no interface has ${privateIp}`);
  return found.id;
}

/** Another pod that can be served shows that nobody is held up. */
async function expectOthersServed(): Promise<void> {
  await world.addPod({ name: 'other', ip: '10.0.77.3' });
  await world.addEip('other', podNamed('other'));
  await world.untilAttached('other', '10.0.77.3');
}

describe('the private address of a pod', () => {
  it('B19: is found on the interface that has it now, when it moved between the read and the call', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', podNamed('web-0'));
    const from = interfaceOf('10.0.77.1');
    const to = world.ec2.snapshot().interfaces.find(({ id }) => id !== from)?.id ?? '';
    const id = world.ec2.injectFault({ kind: 'pause', point: 'before-effect', action: 'AssociateAddress' });
    await world.operator();
    await world.ec2.pauseReached({ id });
    world.ec2.movePrivateIp({ from, to, privateIp: '10.0.77.1' });
    world.ec2.releasePause({ id });
    await world.untilAttached('web', '10.0.77.1');
    const calls = world.ec2.journal({ action: 'AssociateAddress' });
    expect(calls.map(({ params }) => [params['NetworkInterfaceId'], params['PrivateIpAddress']])).toEqual([
      [from, '10.0.77.1'],
      [to, '10.0.77.1'],
    ]);
    expect((await world.eip('web'))?.status?.['eni']).toBe(to);
  });

  it('B19: of each of two pods on one interface gets an address of its own', async () => {
    for (const n of [1, 2]) {
      await world.addPod({ name: `web-${n}`, ip: `10.0.77.${n}` });
      await world.addEip(`web-${n}`, podNamed(`web-${n}`));
    }
    await world.operator();
    const ips = [await world.untilAttached('web-1', '10.0.77.1'), await world.untilAttached('web-2', '10.0.77.2')];
    expect(new Set(ips).size).toBe(2);
  });

  it('is served inside a delegated prefix', async () => {
    world.ec2.addInstance({ id: 'i-0000000000000000f', interfaces: [{}, { prefixes: ['10.0.88.16/28'] }] });
    await world.addNode({ name: 'n2', instanceId: 'i-0000000000000000f' });
    await world.addPod({ name: 'web-0', ip: '10.0.88.20', node: 'n2' });
    await world.addEip('web', podNamed('web-0'));
    await world.operator();
    await world.untilAttached('web', '10.0.88.20');
    await pause(2_200);
    expect([world.calls('AllocateAddress'), world.calls('AssociateAddress')]).toEqual([1, 1]);
  });

  it('is served on the branch interface that the annotation names', async () => {
    const branch = world.ec2.addInterface({ privateIp: '10.0.99.9', interfaceType: 'branch' });
    const annotations = { [ANNOTATION.podEni]: JSON.stringify([{ eniId: branch.id, privateIp: '10.0.99.9' }]) };
    await world.addPod({ name: 'web-0', ip: '10.0.99.9', annotations });
    await world.addEip('web', podNamed('web-0'));
    await world.operator();
    await world.untilAttached('web', '10.0.99.9');
    expect((await world.eip('web'))?.status?.['eni']).toBe(branch.id);
  });

  it('is not looked for where an annotation names an address that is not the pod’s', async () => {
    const branch = world.ec2.addInterface({ privateIp: '10.0.99.9', interfaceType: 'branch' });
    const annotations = { [ANNOTATION.podEni]: JSON.stringify([{ eniId: branch.id, privateIp: '10.0.99.9' }]) };
    await world.addPod({ name: 'web-0', ip: '10.0.77.1', annotations });
    await world.addEip('web', podNamed('web-0'));
    await world.operator();
    await world.untilAttached('web', '10.0.77.1');
    expect(world.onPrivate('10.0.99.9')).toBeUndefined();
  });

  it.each([
    ['has only IPv6', { podIP: '2001:db8::1', podIPs: [{ ip: '2001:db8::1' }] }, {}, 'TargetMissing', /no IPv4/],
    [
      'is an overlay’s',
      { podIP: '192.0.2.9', podIPs: [{ ip: '192.0.2.9' }] },
      {},
      'PrivateIpUnknown',
      /private address/,
    ],
    ['is not there yet', {}, {}, 'TargetMissing', /no IPv4 address/],
    ['is Fargate’s', { podIP: '10.0.77.1' }, { [LABEL.fargateProfile]: 'fp' }, 'Unsupported', /Fargate/],
    ['is of an unmanaged pod', { podIP: '10.0.77.1' }, { [LABEL.manage]: 'false' }, 'TargetMissing', /lacks the label/],
  ])('that %s is refused with a reason', async (_what, status, labels, reason, message) => {
    await world.addPod({ name: 'web-0', labels: { ...MANAGED, ...labels } });
    await world.setPodStatus('web-0', { phase: 'Running', ...status });
    await world.addEip('web', podNamed('web-0'));
    await world.operator();
    expect(await untilReason('web', reason)).toMatch(message);
    expect(world.calls('AssociateAddress')).toBe(0);
    await expectOthersServed();
  });
});

describe('a target that somebody else has', () => {
  it('B20: keeps its address', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    const foreign = world.ec2.addAddress({ tags: { team: 'other' } });
    const { allocationId } = foreign;
    world.ec2.associate({ allocationId, interfaceId: interfaceOf('10.0.77.1'), privateIp: '10.0.77.1' });
    await world.addEip('web', podNamed('web-0'));
    await world.operator();
    expect(await untilReason('web', 'TargetOccupied')).toContain(foreign.publicIp);
    expect(world.calls('AssociateAddress')).toBe(0);
    await expectOthersServed();
  });

  it('B40: keeps the node’s address from a pod on the host network', async () => {
    const [nodeIp] = world.addPool(1, { pool: 'a' });
    await world.addNode({ name: 'n2', tags: { pool: 'a' } });
    await world.operator();
    expect(await world.untilAssigned('n2')).toBe(nodeIp);
    await world.addPod({ name: 'host', ip: '10.0.0.10', node: 'n2', spec: { hostNetwork: true } });
    await world.addEip('host', podNamed('host'));
    expect(await untilReason('host', 'TargetClaimed')).toContain('cilium-node/n2');
    expect(await world.assigned('n2')).toBe(nodeIp);
    expect(world.held('n2')).toBe(nodeIp);
    expect(world.calls('AllocateAddress')).toBe(0);
  });

  it('B40: serves the first of two pods on the host network, for good', async () => {
    for (const name of ['host-a', 'host-b']) {
      await world.addPod({ name, ip: '10.0.0.10', spec: { hostNetwork: true } });
      await world.addEip(name, podNamed(name));
    }
    await world.operator(['--resync-interval', '200ms']);
    const message = await untilReason('host-b', 'TargetClaimed');
    expect(message).toContain('eip/default/host-a');
    const ip = await eventually(() => world.held('n1') ?? false, { timeoutMs: 5_000 });
    await pause(4_000);
    expect(world.held('n1')).toBe(ip);
    expect((await world.eip('host-a'))?.status?.['publicIpAddress']).toBe(ip);
    expect([world.calls('AssociateAddress'), world.calls('DisassociateAddress')]).toEqual([1, 0]);
  });

  it('serves the older of two Eips for one pod, and the other when that is gone', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('a', podNamed('web-0'));
    await world.addEip('b', podNamed('web-0'));
    await world.operator();
    await world.untilAttached('a', '10.0.77.1');
    expect(await untilReason('b', 'TargetClaimed')).toContain('eip/default/a');
    expect(world.calls('AllocateAddress')).toBe(1);
    await world.deleteEip('a');
    await world.untilAttached('b', '10.0.77.1');
  });
});

describe('a given address', () => {
  it('is used and never released', async () => {
    const { allocationId, publicIp } = world.ec2.addAddress({});
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { ...podNamed('web-0'), allocationId });
    await world.operator();
    expect(await world.untilAttached('web', '10.0.77.1')).toBe(publicIp);
    await world.deleteEip('web');
    await eventually(async () => (await world.eip('web')) === undefined, { timeoutMs: 8_000 });
    expect(world.ec2.snapshot().addresses).toMatchObject([{ allocationId, association: undefined }]);
  });

  it('B25: that two Eips name serves one of them, and says so to the other', async () => {
    const { allocationId } = world.ec2.addAddress({});
    for (const n of [1, 2]) {
      await world.addPod({ name: `web-${n}`, ip: `10.0.77.${n}` });
      await world.addEip(`web-${n}`, { ...podNamed(`web-${n}`), allocationId });
    }
    await world.operator();
    await world.untilAttached('web-1', '10.0.77.1');
    expect(await untilReason('web-2', 'AddressInUse')).toContain(allocationId);
    await expectOthersServed();
  });

  it.each([
    ['does not exist', 'NoAddressMatches', () => 'eipalloc-0123456789abcdef0'],
    ['is of another border group', 'LocationMismatch', () => world.ec2.addAddress({ borderGroup: 'x' }).allocationId],
    [
      'is used elsewhere',
      'AddressInUse',
      () => {
        const { allocationId } = world.ec2.addAddress({});
        world.ec2.associate({ allocationId, interfaceId: interfaceOf('10.0.77.2'), privateIp: '10.0.77.2' });
        return allocationId;
      },
    ],
  ])('that %s is refused with a reason', async (_what, reason, allocationId) => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { ...podNamed('web-0'), allocationId: allocationId() });
    await world.operator();
    await untilReason('web', reason);
    await world.untilEvent('web', reason);
    await expectOthersServed();
  });
});

describe('an account that refuses', () => {
  it('is told as a quota, with everybody else served', async () => {
    world.ec2.injectFault({ kind: 'error', action: 'AllocateAddress', code: 'AddressLimitExceeded', times: 'always' });
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', podNamed('web-0'));
    const { publicIp } = world.ec2.addAddress({ tags: { pool: 'a' } });
    await world.addPod({ name: 'other', ip: '10.0.77.2' });
    await world.addEip('other', { ...podNamed('other'), staticIpTags: { pool: 'a' } });
    await world.operator();
    await untilReason('web', 'QuotaExceeded');
    expect(await world.untilAttached('other', '10.0.77.2')).toBe(publicIp);
  });

  it('is told as a pool without match, and served when there is one', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { ...podNamed('web-0'), staticIpTags: { pool: 'none' } });
    await world.operator();
    await untilReason('web', 'NoAddressMatches');
    const [ip] = world.addPool(1, { pool: 'none' });
    expect(await world.untilAttached('web', '10.0.77.1')).toBe(ip);
  });
});
