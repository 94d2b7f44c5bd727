import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AUTOCREATED, eventually, startEipWorld } from '@static-ip/testkit';
import type { EipWorld } from '@static-ip/testkit';

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld();
}, 90_000);
beforeEach(async () => {
  await world.reset();
  await world.addPodNode({ name: 'n1', podIps: ['10.0.77.1', '10.0.77.2', '10.0.77.3'] });
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

describe('an Eip for a pod by name', () => {
  it('allocates one address with the marks of its owner, attaches it and annotates the pod', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
    await world.operator(['--default-tags', '{"team":"edge"}']);
    const ip = await world.untilAttached('web', '10.0.77.1');
    await eventually(
      async () => (await world.pod('web-0'))?.metadata.annotations?.['external-dns.alpha.kubernetes.io/target'] === ip,
      { timeoutMs: 5_000 },
    );
    const object = await world.eip('web');
    const [address] = world.ec2.snapshot().addresses;
    expect(address?.tags).toMatchObject({
      'eip.materialize.cloud/eip_uid': object?.metadata.uid,
      'eip.materialize.cloud/eip_name': 'web',
      'eip.materialize.cloud/pod_name': 'web-0',
      'eip.materialize.cloud/cluster_name': 'prod',
      Name: 'eip-operator:prod:default:web',
      team: 'edge',
    });
    expect(object?.status).toMatchObject({ resourceId: 'web-0', allocationId: address?.allocationId });
    expect([world.calls('AllocateAddress'), world.calls('AssociateAddress'), world.calls('CreateTags')]).toEqual([
      1, 1, 0,
    ]);
  });

  it('B38: follows a pod that comes back under the same name, with the same address', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
    await world.operator();
    const ip = await world.untilAttached('web', '10.0.77.1');
    await world.deletePod('web-0');
    await eventually(async () => (await world.pod('web-0')) === undefined, { timeoutMs: 8_000 });
    expect(world.onPrivate('10.0.77.1')).toBeUndefined();
    await world.addPod({ name: 'web-0', ip: '10.0.77.2' });
    expect(await world.untilAttached('web', '10.0.77.2')).toBe(ip);
    expect(world.calls('AllocateAddress')).toBe(1);
  });

  it('B39: is taken off a finished pod at once', async () => {
    await world.addPod({ name: 'job', ip: '10.0.77.1' });
    await world.addEip('job', { selector: { pod: { podName: 'job' } } });
    await world.operator();
    await world.untilAttached('job', '10.0.77.1');
    await world.setPodStatus('job', { phase: 'Succeeded' });
    await eventually(() => world.onPrivate('10.0.77.1') === undefined, { timeoutMs: 5_000 });
    await eventually(
      async () => (await world.pod('job'))?.metadata.annotations?.['eip.materialize.cloud/allocation_id'] === undefined,
      { timeoutMs: 5_000 },
    );
  });

  it('B26: is deleted in seconds, with its address, whatever is left of the pod', async () => {
    await world.addEip('never', { selector: { pod: { podName: 'nobody' } } });
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
    await world.operator();
    await world.untilAttached('web', '10.0.77.1');
    for (const name of ['never', 'web']) await world.deleteEip(name);
    await eventually(async () => (await world.eip('web')) === undefined && (await world.eip('never')) === undefined, {
      timeoutMs: 8_000,
    });
    expect(world.ec2.snapshot().addresses).toEqual([]);
  });

  it('B28: allocates once when it is killed between Allocate and the status write', async () => {
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
    const id = world.ec2.injectFault({ kind: 'pause', point: 'after-effect', action: 'AllocateAddress' });
    const first = await world.operator();
    await world.ec2.pauseReached({ id, timeoutMs: 10_000 });
    await first.kill();
    world.ec2.releasePause({ id });
    await world.operator();
    await world.untilAttached('web', '10.0.77.1');
    expect(world.calls('AllocateAddress')).toBe(1);
    expect(world.ec2.snapshot().addresses).toHaveLength(1);
  });
});

describe('an Eip that takes an address from elsewhere', () => {
  it('B25: adopts one of a tagged pool, and never releases it', async () => {
    const [ip] = world.addPool(1, { pool: 'a' });
    await world.addPod({ name: 'web-0', ip: '10.0.77.1' });
    await world.addEip('web', { selector: { pod: { podName: 'web-0' } }, staticIpTags: { pool: 'a' } });
    await world.operator();
    expect(await world.untilAttached('web', '10.0.77.1')).toBe(ip);
    await world.deleteEip('web');
    await eventually(async () => (await world.eip('web')) === undefined, { timeoutMs: 8_000 });
    expect(world.onPrivate('10.0.77.1')).toBeUndefined();
    expect(world.ec2.snapshot().addresses).toHaveLength(1);
    expect([world.calls('AllocateAddress'), world.calls('ReleaseAddress')]).toEqual([0, 0]);
  });
});

describe('a pod that asks for an Eip of its own', () => {
  it('gets one, and both go together', async () => {
    await world.addPod({ name: 'auto', ip: '10.0.77.3', labels: AUTOCREATED });
    await world.operator();
    await world.untilAttached('auto', '10.0.77.3');
    await world.deletePod('auto');
    await eventually(async () => (await world.pod('auto')) === undefined && (await world.eip('auto')) === undefined, {
      timeoutMs: 10_000,
    });
    expect(world.ec2.snapshot().addresses).toEqual([]);
  });
});
