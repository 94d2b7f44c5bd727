import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { AUTOCREATED, CLUSTER_NAME, eventually, MANAGED, startEipWorld } from '@static-ip/testkit';
import type { EipState, EipWorld, KubeObject } from '@static-ip/testkit';
import { ANNOTATION, FINALIZER, LEGACY_POD_FINALIZERS, TAINT } from '../api/names.ts';

const POOL = { pool: 'a' };
const IPS = ['10.0.88.1', '10.0.88.2', '10.0.88.3', '10.0.88.4', '10.0.88.5'];
const NODES = ['n1', 'n2'];
const KEEP = ['drain', '--lease-duration', '5s', '--lease-namespace', 'default'];
const RELEASE = [...KEEP, '--addresses', 'release', '--cluster-name', CLUSTER_NAME, '--visibility-window', '0s'];
const SCHEMA = new URL('../../../../schemas/cli/drain.schema.json', import.meta.url);

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld();
  await world.cluster.api.applyYaml('{apiVersion: v1, kind: Namespace, metadata: {name: apps}}');
}, 90_000);
beforeEach(async () => {
  await freeNodes();
  await world.reset();
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

const { stringify } = JSON;
const eipNames = IPS.map((_, n) => `web-${n}`);
const nodePath = (name: string): string => `/api/v1/nodes/${name}`;

async function freeNodes(): Promise<void> {
  for (const { metadata } of await world.cluster.api.list('/api/v1/nodes')) {
    await world.cluster.api.patch(nodePath(metadata.name), { metadata: { finalizers: null } });
  }
}

/**
 * Five pods in one namespace, each with an Eip of its own kind: made with its pod, written by hand, kept by its policy, from
 * a pool, and one that has no address. Two nodes as the predecessor leaves them.
 */
async function addAll(): Promise<void> {
  await world.addPodNode({ name: 'n1', podIps: IPS });
  await world.addNode({ name: 'n2' });
  for (const name of NODES)
    await world.cluster.api.patch(nodePath(name), { metadata: { finalizers: [FINALIZER.node] } });
  world.addPool(1, POOL);
  const specs = [
    undefined,
    {},
    { reclaimPolicy: 'Retain' },
    { staticIpTags: POOL },
    { staticIpTags: { pool: 'none' } },
  ];
  for (const [n, ip] of IPS.entries()) {
    const [name, spec] = [`web-${n}`, specs[n]];
    const legacy = n === 1 ? LEGACY_POD_FINALIZERS : [];
    const labels = spec === undefined ? AUTOCREATED : MANAGED;
    await world.addPod({ name, ip, namespace: 'apps', labels, finalizers: [...legacy] });
    if (spec !== undefined) await world.addEip(name, { selector: { pod: { podName: name } }, ...spec }, 'apps');
  }
}

async function untilServed(): Promise<void> {
  for (const n of [0, 1, 2, 3]) await world.untilAttached(`web-${n}`, IPS[n] ?? '', { namespace: 'apps' });
  await eventually(async () => (await finalizers()).length === 8 + NODES.length, { timeoutMs: 10_000 });
}

/** Every finalizer of ours on any object, with the object. */
async function finalizers(): Promise<readonly string[]> {
  const { api } = world.cluster;
  const lists = await Promise.all(
    ['/apis/materialize.cloud/v2/eips', '/api/v1/pods', '/api/v1/nodes'].map((path) => api.list<KubeObject>(path)),
  );
  return lists.flat().flatMap(({ metadata }) => (metadata.finalizers ?? []).map((one) => `${metadata.name} ${one}`));
}

async function statusOf(name: string): Promise<EipState['status']> {
  return (await world.eip(name, 'apps'))?.status ?? {};
}

const MUTATING = ['AllocateAddress', 'AssociateAddress', 'DisassociateAddress', 'ReleaseAddress'];
const changes = (): readonly number[] => MUTATING.map((action) => world.calls(action));

interface Line {
  readonly kind: string;
  readonly name: string;
  readonly isDone: boolean;
  readonly message: string;
}

/** The printed report by object; it must be as its schema says. */
async function reportOf(stdout: string): Promise<Readonly<Record<string, string>>> {
  const report: { readonly items: readonly Line[] } = JSON.parse(stdout);
  const validate = new Ajv2020({ strictTypes: false }).compile(JSON.parse(await readFile(SCHEMA, 'utf8')));
  expect([validate(report), validate.errors]).toEqual([true, null]);
  return Object.fromEntries(
    report.items.map(({ kind, name, isDone, message }) => [
      `${kind} ${name}`,
      `${isDone ? 'done' : 'LEFT'}: ${message}`,
    ]),
  );
}

describe('B29: a drain that keeps the addresses', () => {
  it('waits for the operator to stop, and leaves no finalizer and every address', async () => {
    await addAll();
    const operator = await world.operator();
    await untilServed();
    const before = changes();
    const draining = world.command([...KEEP, '--output', 'json'], { environment: { AWS_REGION: undefined } });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await finalizers()).toHaveLength(10);
    await operator.stop();
    const { code, stdout, stderr } = await draining;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Standing by') });
    expect(await finalizers()).toEqual([]);
    expect(changes()).toEqual(before);
    for (const n of [0, 1, 2, 3]) expect(world.onPrivate(IPS[n] ?? '')).toBeDefined();
    const report = await reportOf(stdout);
    expect(report['Eip apps/web-1']).toContain(`stays on web-1`);
    expect(Object.values(report).filter((line) => line.startsWith('LEFT'))).toEqual([]);
    // As the namespace's deletion does: nothing holds any of them.
    for (const name of eipNames) {
      await world.deletePod(name, 'apps');
      await world.deleteEip(name, 'apps');
    }
    for (const name of NODES) await world.cluster.api.delete(nodePath(name));
    expect(await world.cluster.api.list('/api/v1/nodes')).toEqual([]);
    for (const name of eipNames)
      expect([await world.eip(name, 'apps'), await world.pod(name, 'apps')]).toEqual([undefined, undefined]);
  }, 60_000);

  it('is taken back by the next operator, which changes nothing in the cloud and can still let go', async () => {
    await addAll();
    const first = await world.operator();
    await untilServed();
    await first.stop();
    const before = changes();
    expect((await world.command(KEEP)).code).toBe(0);
    await world.operator();
    await eventually(async () => (await finalizers()).length === 8, { timeoutMs: 15_000 });
    expect(changes()).toEqual(before);
    await world.deleteEip('web-1', 'apps');
    await eventually(() => world.calls('ReleaseAddress') === 1, { timeoutMs: 15_000 });
  }, 60_000);

  it('lets what is being deleted go, and tells which address that leaves behind', async () => {
    await addAll();
    const operator = await world.operator();
    await untilServed();
    await operator.stop();
    const { publicIpAddress } = (await statusOf('web-1')) ?? {};
    await world.deleteEip('web-1', 'apps');
    const { code, stdout } = await world.command([...KEEP, '--output', 'json']);
    expect(code).toBe(0);
    expect(await world.eip('web-1', 'apps')).toBeUndefined();
    expect((await reportOf(stdout))['Eip apps/web-1']).toContain(`${String(publicIpAddress)} stays in the account`);
  }, 60_000);

  it('does nothing while an operator goes on, and says what to do', async () => {
    await addAll();
    await world.operator();
    await untilServed();
    const { code, stderr } = await world.command([...KEEP, '--timeout', '2s']);
    expect(code).toBe(1);
    expect(stderr).toContain('an operator still holds the lease default/static-ip-ipam-operator: stop it first');
    expect(await finalizers()).toHaveLength(10);
  }, 60_000);

  it('waits for no other Lease than the operator’s: with a kubeconfig it must be told where that is', async () => {
    const { code, stderr } = await world.command(['drain']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('needs --lease-namespace') });
  });

  it('does nothing where it may not have the lease, and says so', async () => {
    const { code, stderr } = await world.command(['drain', '--lease-namespace', 'apps', '--timeout', '2s']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /apps\/static-ip.* not to be had in time\n.*\n  because: .*refused reading leases\n[^]*cannot get resource/,
      ),
    });
  });

  it('says on which nodes the start-up taint stays', async () => {
    await world.addNode({ name: 'n1', taints: [{ key: TAINT.addressPending, effect: 'NoSchedule' }] });
    await world.addNode({ name: 'n2' });
    const { code, stderr } = await world.command(KEEP);
    expect(code).toBe(0);
    expect(stderr).toMatch(/start-up taint.*n1/);
    expect(stderr).not.toMatch(/start-up taint.*n2/);
  });

  it('has nothing to do in a cluster that it has drained', async () => {
    await world.addNode({ name: 'n1' });
    const { code, stdout } = await world.command(KEEP);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'No object has anything of ours.\n' });
  });
});

describe('B29: a drain that gives the addresses back', () => {
  it('does with each as the policy says, and the objects stay without it', async () => {
    await addAll();
    const operator = await world.operator();
    await untilServed();
    await operator.stop();
    const kept = [await statusOf('web-2'), await statusOf('web-3')].map((status) => status?.['publicIpAddress']);
    const { code, stdout, stderr } = await world.command([...RELEASE, '--output', 'json']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await finalizers()).toEqual([]);
    const { addresses } = world.ec2.snapshot();
    expect(new Set(addresses.map(({ publicIp }) => publicIp))).toEqual(new Set(kept));
    expect(addresses.filter(({ association }) => association !== undefined)).toEqual([]);
    for (const name of eipNames) {
      const { allocationId = null, publicIpAddress = null, associationId = null } = (await statusOf(name)) ?? {};
      expect({ name, allocationId, publicIpAddress, associationId }).toEqual({ name, ...NOTHING });
      expect(stringify((await world.pod(name, 'apps'))?.metadata.annotations ?? {})).not.toContain(
        ANNOTATION.allocationId,
      );
    }
    const report = await reportOf(stdout);
    expect(report['Eip apps/web-0']).toContain('was released');
    expect(report['Eip apps/web-2']).toContain('stays in the account');
  }, 60_000);

  it('says what is left and why, keeps it safe, and ends it the next time', async () => {
    await addAll();
    const operator = await world.operator();
    await untilServed();
    await operator.stop();
    const id = world.ec2.injectFault({ kind: 'deny', action: 'ReleaseAddress' });
    const { code, stdout } = await world.command([...RELEASE, '--output', 'json', '--timeout', '5s']);
    expect(code).toBe(1);
    const report = await reportOf(stdout);
    expect(report['Eip apps/web-1']).toContain('LEFT: AccessDenied');
    expect(report['Eip apps/web-3']).toContain('done');
    expect(await finalizers()).toContain(`web-1 ${FINALIZER.eip}`);
    expect(await finalizers()).not.toContain(`web-3 ${FINALIZER.pod}`);
    world.ec2.removeFault({ id });
    expect((await world.command(RELEASE)).code).toBe(0);
    expect(await finalizers()).toEqual([]);
    expect(world.ec2.snapshot().addresses).toHaveLength(2);
  }, 60_000);

  it('leaves an address alone that somebody else has attached elsewhere, and does not claim to have taken it off', async () => {
    await addAll();
    const operator = await world.operator();
    await untilServed();
    await operator.stop();
    const { allocationId, publicIpAddress } = (await statusOf('web-3')) ?? {};
    const interfaceId = world.ec2.addInstance({ zone: 'us-east-1a' }).interfaces[0]?.id ?? '';
    world.ec2.associate({ allocationId: String(allocationId), interfaceId });
    const { code, stdout } = await world.command([...RELEASE, '--output', 'json']);
    expect(code).toBe(0);
    const { addresses } = world.ec2.snapshot();
    expect(addresses.find((one) => one.allocationId === allocationId)?.association?.interfaceId).toBe(interfaceId);
    expect((await reportOf(stdout))['Eip apps/web-3']).toContain(`${String(publicIpAddress)} was left alone`);
  }, 60_000);

  it('goes on where it was killed', async () => {
    await addAll();
    const operator = await world.operator();
    await untilServed();
    await operator.stop();
    world.ec2.injectFault({ kind: 'hang-after-effect', action: 'ReleaseAddress', times: 'always', forMs: 4_000 });
    const kill = new AbortController();
    const killed = world.command(RELEASE, { kill: kill.signal });
    await eventually(() => world.ec2.snapshot().addresses.length === 2, { timeoutMs: 10_000 });
    kill.abort();
    expect((await killed).code).toBeNull();
    expect(await finalizers()).toContain(`web-1 ${FINALIZER.eip}`);
    const { code, stderr } = await world.command(RELEASE);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await finalizers()).toEqual([]);
    expect((await statusOf('web-1'))?.['allocationId'] ?? null).toBeNull();
  }, 60_000);

  it('needs the name of the cluster', async () => {
    const { code, stderr } = await world.command([...KEEP, '--addresses', 'release']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('needs --cluster-name') });
  });
});

const NOTHING = { allocationId: null, publicIpAddress: null, associationId: null };
