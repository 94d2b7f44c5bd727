import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER_NAME, eventually, startCluster, startEipWorld } from '@static-ip/testkit';
import type { Cluster, EipWorld, KubeObject, OperatorProcess } from '@static-ip/testkit';
import { EIP_CRD, eipObject } from '../testing/eip-objects.ts';

const KUBE_SYSTEM = '/api/v1/namespaces/kube-system';
const NOBODY = { selector: { pod: { podName: 'nobody' } } };
/** An interval and an age that a test can wait for. */
const FAST = ['--sweep-interval', '200ms', '--sweep-min-age', '1s'];
const RELEASE = [...FAST, '--sweep', 'release'];
/** The most that one run releases. */
const MAX_RELEASES = 5;

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld();
}, 120_000);
beforeEach(async () => {
  await world.reset();
  // Without any Eip nothing is ever swept.
  await world.addEip('alive', NOBODY);
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(() => world.stop());

async function uidOf(cluster: Cluster): Promise<string> {
  return (await cluster.api.get<KubeObject>(KUBE_SYSTEM)).metadata.uid ?? '';
}

/** An address of an Eip that is gone, as we or, without the cluster's uid, the predecessor made it. Returns its id. */
function leak(clusterUid?: string, over: Readonly<Record<string, string>> = {}): string {
  const { allocationId } = world.ec2.addAddress({
    tags: {
      'eip.materialize.cloud/eip_uid': 'gone',
      'eip.materialize.cloud/eip_name': 'front',
      'eip.materialize.cloud/namespace': 'default',
      'eip.materialize.cloud/cluster_name': CLUSTER_NAME,
      ...(clusterUid !== undefined && { 'eip.materialize.cloud/cluster_uid': clusterUid }),
      ...over,
    },
  });
  return allocationId;
}

const exists = (id: string): boolean => world.ec2.snapshot().addresses.some(({ allocationId }) => allocationId === id);
const untilGone = (id: string): Promise<true> => eventually(() => !exists(id), { timeoutMs: 10_000 });

/** What the metric says of the addresses, by state. */
async function statesOf(operator: OperatorProcess): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(operator.metricsUrl)).text();
  const lines = text.matchAll(/^static_ip_sweep_addresses\{state="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, state, count]) => [state, Number(count)]));
}

async function untilStates(operator: OperatorProcess, states: Readonly<Record<string, number>>): Promise<void> {
  await eventually(async () => expect(await statesOf(operator)).toEqual(states), { timeoutMs: 10_000 });
}

/** Waits for so many more runs of the sweep with this outcome. */
async function untilRuns(operator: OperatorProcess, outcome: string, more: number): Promise<void> {
  const count = async (): Promise<number> => {
    const text = await (await fetch(operator.metricsUrl)).text().catch(() => '');
    return Number(
      text.match(`static_ip_reconciles_total\\{controller="sweep",outcome="${outcome}"\\} (\\d+)`)?.[1] ?? 0,
    );
  };
  const before = await eventually(count, { timeoutMs: 10_000 });
  await eventually(async () => (await count()) >= before + more, { timeoutMs: 10_000 });
}

const linesOf = (operator: OperatorProcess, message: string): readonly unknown[] =>
  operator.log().flatMap((line) => (line['message'] === message ? [line['addressId']] : []));

const allOf = (...apiGroups: readonly string[]) => ({ apiGroups, resources: ['*'], verbs: ['*'] });

/** The role of the account `default/fading`, and its binding. */
function fadingRole(rules: readonly unknown[]): string {
  const apiGroup = 'rbac.authorization.k8s.io';
  const common = { apiVersion: `${apiGroup}/v1`, metadata: { name: 'fading' } };
  const subjects = [{ kind: 'ServiceAccount', namespace: 'default', name: 'fading' }];
  const roleRef = { apiGroup, kind: 'ClusterRole', name: 'fading' };
  const objects = [
    { ...common, kind: 'ClusterRole', rules },
    { ...common, kind: 'ClusterRoleBinding', roleRef, subjects },
  ];
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

describe('an address whose Eip is gone', () => {
  it('is told once, in log and metric, and left alone unless --sweep=release', async () => {
    const id = leak(await uidOf(world.cluster));
    const operator = await world.operator(FAST);
    await untilStates(operator, { leaked: 1, claimed: 1 });
    await untilRuns(operator, 'again', 3);
    expect(linesOf(operator, 'Leaked address')).toEqual([id]);
    expect([exists(id), world.calls('ReleaseAddress')]).toEqual([true, 0]);
  });

  it('is released with --sweep=release, and the release is in the log', async () => {
    const id = leak(await uidOf(world.cluster));
    const operator = await world.operator(RELEASE);
    await untilGone(id);
    expect(linesOf(operator, 'Releasing leaked address')).toEqual([id]);
    await untilStates(operator, { claimed: 1 });
    expect(world.calls('ReleaseAddress')).toBe(1);
  });

  it('is found also when its Eip was torn out while nobody looked', async () => {
    await world.addEip('torn', NOBODY);
    const first = await world.operator([...FAST, '--sweep', 'off']);
    const path = '/apis/materialize.cloud/v2/namespaces/default/eips/torn';
    const id = await eventually(
      async () => {
        const allocated = (await world.eip('torn'))?.status?.['allocationId'];
        return typeof allocated === 'string' && allocated;
      },
      { timeoutMs: 10_000 },
    );
    await first.kill();
    await world.cluster.api.patch(path, { metadata: { finalizers: null } });
    await world.deleteEip('torn');
    await world.operator(RELEASE);
    await untilGone(id);
    expect(world.ec2.snapshot().addresses).toHaveLength(1);
  });

  it('is not looked for with --sweep=off', async () => {
    leak(await uidOf(world.cluster));
    const operator = await world.operator([...FAST, '--sweep', 'off']);
    await eventually(async () => (await world.eip('alive'))?.status?.['allocationId'] !== undefined, {
      timeoutMs: 10_000,
    });
    expect(await statesOf(operator)).toEqual({});
  });

  it('waits for its turn: a run releases a few at most, each written down before', async () => {
    const uid = await uidOf(world.cluster);
    const ids = Array.from({ length: 2 * MAX_RELEASES + 1 }, () => leak(uid));
    const pause = world.ec2.injectFault({ kind: 'pause', point: 'before-effect', action: 'ReleaseAddress' });
    const operator = await world.operator(RELEASE);
    await world.ec2.pauseReached({ id: pause, timeoutMs: 15_000 });
    expect(linesOf(operator, 'Releasing leaked address')).toHaveLength(1);
    expect(world.ec2.snapshot().addresses.length).toBeGreaterThanOrEqual(ids.length);
    world.ec2.releasePause({ id: pause });
    await eventually(() => !ids.some(exists), { timeoutMs: 15_000 });
    const starts = world.ec2.journal({ action: 'ReleaseAddress' }).map(({ at }) => at);
    expect(starts).toHaveLength(ids.length);
    // Between two runs are three quarters of the interval at least.
    const [a = 0, b = 0, c = 0] = [0, 1, 2].map((run) => starts[run * MAX_RELEASES]);
    expect(Math.min(b - a, c - b)).toBeGreaterThanOrEqual(150);
  });
});

describe('B54: the sweep releases nothing', () => {
  it('of another cluster of the same name in the same account', async () => {
    const other = await startCluster();
    try {
      await other.api.installCrd(EIP_CRD);
      await other.api.create(eipObject(NOBODY, 'v2', 'alive'));
      const mine = [leak(await uidOf(world.cluster)), leak(await uidOf(world.cluster))];
      const theirs = [leak(await uidOf(other)), leak(await uidOf(other))];
      const ours = await world.operator([...RELEASE, '--sweep-peer-tags']);
      await Promise.all(mine.map(untilGone));
      // Three addresses that are not ours: theirs, and none that their operator allocated yet.
      await untilStates(ours, { claimed: 1, foreign: 2 });
      await untilRuns(ours, 'again', 3);
      expect(theirs.map(exists)).toEqual([true, true]);
      await world.operator(RELEASE, {
        kubeconfig: other.kubeconfigPath,
        // An access key of its own: the account knows who allocated what.
        environment: { AWS_ACCESS_KEY_ID: 'other', CLUSTER_NAME },
      });
      await Promise.all(theirs.map(untilGone));
      await untilRuns(ours, 'again', 3);
      const owners = world.ec2.snapshot().addresses.map(({ tags }) => tags['eip.materialize.cloud/cluster_uid']);
      expect(owners).toHaveLength(2);
      expect(new Set(owners)).toEqual(new Set([await uidOf(world.cluster), await uidOf(other)]));
    } finally {
      await other.stop();
    }
  });

  it('while the cluster shows no Eip at all', async () => {
    await world.deleteEip('alive');
    const id = leak(await uidOf(world.cluster));
    const operator = await world.operator(RELEASE);
    await untilStates(operator, { unproven: 1 });
    await untilRuns(operator, 'again', 8);
    expect([exists(id), world.calls('ReleaseAddress')]).toEqual([true, 0]);
  });

  it('while it may not list the Eips', async () => {
    const uid = await uidOf(world.cluster);
    const { api } = world.cluster;
    const others = allOf('', 'cilium.io', 'coordination.k8s.io', 'events.k8s.io');
    const eips = allOf('materialize.cloud');
    const token = await world.cluster.createServiceAccountToken({ namespace: 'default', name: 'fading' });
    await api.applyYaml(fadingRole([others, eips]));
    const operator = await world.operator(RELEASE, { kubeconfig: world.cluster.writeKubeconfig({ token }) });
    await untilStates(operator, { claimed: 1 });
    await api.applyYaml(fadingRole([others]));
    await untilRuns(operator, 'forbidden', 2);
    const id = leak(uid);
    await untilRuns(operator, 'forbidden', 8);
    expect([exists(id), world.calls('ReleaseAddress')]).toEqual([true, 0]);
    await api.applyYaml(fadingRole([others, eips]));
    await untilGone(id);
  });

  it('that is in use, kept, or of another namespace than the one it serves', async () => {
    const uid = await uidOf(world.cluster);
    const { interfaces } = world.ec2.addInstance({ id: 'i-00000000000000009' });
    const attached = leak(uid);
    world.ec2.associate({ allocationId: attached, interfaceId: interfaces[0]?.id ?? '' });
    const kept = leak(uid, { 'eip.materialize.cloud/reclaim_policy': 'Retain' });
    const elsewhere = leak(uid, { 'eip.materialize.cloud/namespace': 'db' });
    const control = leak(uid);
    const operator = await world.operator([...RELEASE, '--namespace', 'default']);
    await untilGone(control);
    await untilStates(operator, { attached: 1, retained: 1, otherNamespace: 1, claimed: 1 });
    await untilRuns(operator, 'again', 8);
    expect([attached, kept, elsewhere].map(exists)).toEqual([true, true, true]);
  });

  it('that the predecessor made, without --sweep-peer-tags', async () => {
    world.ec2.configure({
      ownerTagKeys: ['eip.materialize.cloud/eip_uid', 'eip.aws.materialize.com/cluster_name'],
    });
    const legacy = world.ec2.addAddress({ tags: { 'eip.aws.materialize.com/cluster_name': CLUSTER_NAME } });
    const ids = [leak(), legacy.allocationId];
    const control = leak(await uidOf(world.cluster));
    const without = await world.operator(RELEASE);
    await untilGone(control);
    await untilRuns(without, 'again', 8);
    expect(ids.map(exists)).toEqual([true, true]);
    await without.stop();
    await world.operator([...RELEASE, '--sweep-peer-tags']);
    await Promise.all(ids.map(untilGone));
  });
});

describe('an Eip that is set to Retain after its address was allocated', () => {
  const late = '/apis/materialize.cloud/v2/namespaces/default/eips/late';

  /** Deleted, with the operator at work. */
  async function deleteLate(): Promise<OperatorProcess> {
    await world.addEip('late', NOBODY);
    const operator = await world.operator(RELEASE);
    await untilStates(operator, { claimed: 2 });
    await world.cluster.api.patch(late, { spec: { reclaimPolicy: 'Retain' } });
    await world.deleteEip('late');
    return operator;
  }

  it('B54: marks it before the Eip is gone, and the sweep keeps it, also after a restart', async () => {
    const operator = await deleteLate();
    await eventually(async () => (await world.eip('late')) === undefined, { timeoutMs: 10_000 });
    await untilRuns(operator, 'again', 8);
    await operator.stop();
    const second = await world.operator(RELEASE);
    await untilStates(second, { claimed: 1, retained: 1 });
    await untilRuns(second, 'again', 8);
    expect([world.calls('CreateTags'), world.calls('ReleaseAddress')]).toEqual([1, 0]);
  });

  it('B54: stays, and says which right is missing, while the mark cannot be written; any hand may write it', async () => {
    world.ec2.configure({ credentials: { operator: { status: 'valid', deniedActions: ['CreateTags'] } } });
    const operator = await deleteLate();
    await world.untilEvent('late', 'AccessDenied');
    await untilRuns(operator, 'again', 8);
    const [told] = await world.events({ name: 'late', reason: 'AccessDenied' });
    expect(told).toMatchObject({ type: 'Warning', note: expect.stringContaining('action CreateTags') });
    expect([(await world.eip('late')) !== undefined, world.calls('ReleaseAddress')]).toEqual([true, 0]);
    const marked = world.ec2.snapshot().addresses.find(({ tags }) => tags['eip.materialize.cloud/eip_name'] === 'late');
    const id = marked?.allocationId ?? '';
    const tag = { 'Tag.1.Key': 'eip.materialize.cloud/reclaim_policy', 'Tag.1.Value': 'Retain' };
    await world.ec2.call('CreateTags', { 'ResourceId.1': id, ...tag });
    await eventually(async () => (await world.eip('late')) === undefined, { timeoutMs: 10_000 });
    expect(exists(id)).toBe(true);
  });
});

it('an Eip that is deleted with Retain leaves its address to its owner, also from the sweep', async () => {
  await world.addEip('kept', { ...NOBODY, reclaimPolicy: 'Retain' });
  const operator = await world.operator(RELEASE);
  await untilStates(operator, { claimed: 2 });
  await world.deleteEip('kept');
  await eventually(async () => (await world.eip('kept')) === undefined, { timeoutMs: 10_000 });
  await untilRuns(operator, 'again', 8);
  expect(await statesOf(operator)).toEqual({ claimed: 1, retained: 1 });
  expect(world.calls('ReleaseAddress')).toBe(0);
});
