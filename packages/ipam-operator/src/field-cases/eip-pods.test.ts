import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, eventually, startWorld } from '@static-ip/testkit';
import type { KubeObject, OperatorProcess, World } from '@static-ip/testkit';

const CRD = readFileSync(new URL('../../../../schemas/crd/eips.materialize.cloud.yaml', import.meta.url), 'utf8');
const MANAGED = { 'eip.materialize.cloud/manage': 'true' };
const AUTO = { ...MANAGED, 'eip.materialize.cloud/autocreate_eip': 'true' };

interface EipObject extends KubeObject {
  readonly status?: Readonly<Record<string, unknown>>;
}

let world: World;
beforeAll(async () => {
  world = await startWorld({ kubeconfig: async (cluster) => cluster.kubeconfigPath });
  await world.cluster.api.installCrd(CRD);
});
beforeEach(async () => {
  await world.reset();
  await clean();
  world.ec2.addInstance({
    id: 'i-00000000000000001',
    interfaces: [{}, { secondaryIps: ['10.0.77.1', '10.0.77.2', '10.0.77.3'] }],
  });
  await world.addNode({ name: 'n1', instanceId: 'i-00000000000000001' });
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

/** Pods and Eips of the test before: without an operator their finalizers would keep them. */
async function clean(): Promise<void> {
  const { api } = world.cluster;
  for (const path of ['/apis/materialize.cloud/v2/namespaces/default/eips', '/api/v1/namespaces/default/pods']) {
    for (const { metadata } of await api.list<KubeObject>(path)) {
      await api.patch(`${path}/${metadata.name}`, { metadata: { finalizers: null } });
      await api.delete(`${path}/${metadata.name}?gracePeriodSeconds=0`).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      });
    }
  }
}

function operator(args: readonly string[] = []): Promise<OperatorProcess> {
  return world.operator(['--cluster-name', 'prod', ...args]);
}

async function addPod(name: string, ip: string, labels: Readonly<Record<string, string>> = MANAGED): Promise<void> {
  const { api } = world.cluster;
  const metadata = { name, namespace: 'default', labels };
  const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'x' }], serviceAccountName: 'default' };
  await api.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec } as KubeObject);
  await setPod(name, { phase: 'Running', podIP: ip, podIPs: [{ ip }] });
}

async function setPod(name: string, status: Readonly<Record<string, unknown>>): Promise<void> {
  await world.cluster.api.patchStatus(`/api/v1/namespaces/default/pods/${name}`, status);
}

async function addEip(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const metadata = { name, namespace: 'default' };
  await world.cluster.api.create({ apiVersion: 'materialize.cloud/v2', kind: 'Eip', metadata, spec } as KubeObject);
}

const eip = (name: string): Promise<EipObject | undefined> =>
  world.cluster.api.find<EipObject>(`/apis/materialize.cloud/v2/namespaces/default/eips/${name}`);
const pod = (name: string): Promise<KubeObject | undefined> =>
  world.cluster.api.find<KubeObject>(`/api/v1/namespaces/default/pods/${name}`);

/** The public address on a private address, as the cloud has it. */
function heldBy(privateIp: string): string | undefined {
  return world.ec2.snapshot().addresses.find(({ association }) => association?.privateIp === privateIp)?.publicIp;
}

async function untilAttached(name: string, privateIp: string): Promise<string> {
  return eventually(
    async () => {
      const status = (await eip(name))?.status ?? {};
      const actual = heldBy(privateIp);
      const isRight = actual !== undefined && status['publicIpAddress'] === actual && status['associationId'] != null;
      if (!isRight || status['privateIpAddress'] !== privateIp) {
        throw new Error(`status ${JSON.stringify(status)}, ${privateIp} has ${actual ?? 'none'}`);
      }
      return actual;
    },
    { timeoutMs: 10_000 },
  );
}

describe('an Eip for a pod by name', () => {
  it('allocates one address with the marks of its owner, attaches it and annotates the pod', async () => {
    await addPod('web-0', '10.0.77.1');
    await addEip('web', { selector: { pod: { podName: 'web-0' } } });
    await operator(['--default-tags', '{"team":"edge"}']);
    const ip = await untilAttached('web', '10.0.77.1');
    await eventually(
      async () => (await pod('web-0'))?.metadata.annotations?.['external-dns.alpha.kubernetes.io/target'] === ip,
      { timeoutMs: 5_000 },
    );
    const object = await eip('web');
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
    await addPod('web-0', '10.0.77.1');
    await addEip('web', { selector: { pod: { podName: 'web-0' } } });
    await operator();
    const ip = await untilAttached('web', '10.0.77.1');
    await world.cluster.api.delete('/api/v1/namespaces/default/pods/web-0?gracePeriodSeconds=0');
    await eventually(async () => (await pod('web-0')) === undefined, { timeoutMs: 8_000 });
    expect(heldBy('10.0.77.1')).toBeUndefined();
    await addPod('web-0', '10.0.77.2');
    expect(await untilAttached('web', '10.0.77.2')).toBe(ip);
    expect(world.calls('AllocateAddress')).toBe(1);
  });

  it('B39: is taken off a finished pod at once', async () => {
    await addPod('job', '10.0.77.1');
    await addEip('job', { selector: { pod: { podName: 'job' } } });
    await operator();
    await untilAttached('job', '10.0.77.1');
    await setPod('job', { phase: 'Succeeded' });
    await eventually(() => heldBy('10.0.77.1') === undefined, { timeoutMs: 5_000 });
    await eventually(
      async () => (await pod('job'))?.metadata.annotations?.['eip.materialize.cloud/allocation_id'] === undefined,
      { timeoutMs: 5_000 },
    );
  });

  it('B26: is deleted in seconds, with its address, whatever is left of the pod', async () => {
    await addEip('never', { selector: { pod: { podName: 'nobody' } } });
    await addPod('web-0', '10.0.77.1');
    await addEip('web', { selector: { pod: { podName: 'web-0' } } });
    await operator();
    await untilAttached('web', '10.0.77.1');
    for (const name of ['never', 'web']) {
      await world.cluster.api.delete(`/apis/materialize.cloud/v2/namespaces/default/eips/${name}`);
    }
    await eventually(async () => (await eip('web')) === undefined && (await eip('never')) === undefined, {
      timeoutMs: 8_000,
    });
    expect(world.ec2.snapshot().addresses).toEqual([]);
  });

  it('B28: allocates once when it is killed between Allocate and the status write', async () => {
    await addPod('web-0', '10.0.77.1');
    await addEip('web', { selector: { pod: { podName: 'web-0' } } });
    const id = world.ec2.injectFault({ kind: 'pause', point: 'after-effect', action: 'AllocateAddress' });
    const first = await operator();
    await world.ec2.pauseReached({ id, timeoutMs: 10_000 });
    await first.kill();
    world.ec2.releasePause({ id });
    await operator();
    await untilAttached('web', '10.0.77.1');
    expect(world.calls('AllocateAddress')).toBe(1);
    expect(world.ec2.snapshot().addresses).toHaveLength(1);
  });
});

describe('an Eip that takes an address from elsewhere', () => {
  it('B25: adopts one of a tagged pool, and never releases it', async () => {
    const [ip] = world.addPool(1, { pool: 'a' });
    await addPod('web-0', '10.0.77.1');
    await addEip('web', { selector: { pod: { podName: 'web-0' } }, staticIpTags: { pool: 'a' } });
    await operator();
    expect(await untilAttached('web', '10.0.77.1')).toBe(ip);
    await world.cluster.api.delete('/apis/materialize.cloud/v2/namespaces/default/eips/web');
    await eventually(async () => (await eip('web')) === undefined, { timeoutMs: 8_000 });
    expect(heldBy('10.0.77.1')).toBeUndefined();
    expect(world.ec2.snapshot().addresses).toHaveLength(1);
    expect([world.calls('AllocateAddress'), world.calls('ReleaseAddress')]).toEqual([0, 0]);
  });
});

describe('a pod that asks for an Eip of its own', () => {
  it('gets one, and both go together', async () => {
    await addPod('auto', '10.0.77.3', AUTO);
    await operator();
    await untilAttached('auto', '10.0.77.3');
    await world.cluster.api.delete('/api/v1/namespaces/default/pods/auto?gracePeriodSeconds=0');
    await eventually(async () => (await pod('auto')) === undefined && (await eip('auto')) === undefined, {
      timeoutMs: 10_000,
    });
    expect(world.ec2.snapshot().addresses).toEqual([]);
  });
});
