import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, installChart, startEipWorld } from '@static-ip/testkit';
import type { EipWorld } from '@static-ip/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const POOL = { pool: 'a' };
const MUTATING = ['AllocateAddress', 'AssociateAddress', 'DisassociateAddress', 'ReleaseAddress'];

let world: EipWorld;
let kubeconfig: string;
let addresses: Readonly<Record<'n1' | 'web' | 'lost', string>>;

/** A node with an address and one that waits; Eips with an address, without a pod, and with one that was pulled away. */
beforeAll(async () => {
  world = await startEipWorld({
    // As in its pod: with the rights of the chart's account, which are enough.
    kubeconfig: async (cluster) => {
      const values = { options: { leaseNamespace: 'default', clusterName: 'prod' } };
      kubeconfig = (await installChart({ cluster, values })).kubeconfig;
      return kubeconfig;
    },
  });
  world.addPool(1, POOL);
  await world.addPodNode({ name: 'pods', instanceId: 'i-0000000000000000a', podIps: ['10.0.77.1', '10.0.77.2'] });
  await world.addNode({ name: 'n1', tags: POOL });
  await world.addPod({ name: 'web-0', ip: '10.0.77.1', node: 'pods' });
  await world.addPod({ name: 'web-1', ip: '10.0.77.2', node: 'pods' });
  await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
  await world.addEip('lost', { selector: { pod: { podName: 'web-1' } } });
  await world.addEip('idle', { selector: { pod: { podName: 'nobody' } } });
  const operator = await world.operator();
  const n1 = await world.untilAssigned('n1');
  await world.addNode({ name: 'n2', tags: POOL });
  const [web, lost] = [await world.untilAttached('web', '10.0.77.1'), await world.untilAttached('lost', '10.0.77.2')];
  await world.untilEvent('n2', 'PoolExhausted');
  const reasonOfIdle = async () => JSON.stringify((await world.eip('idle'))?.status?.['conditions']);
  await eventually(async () => expect(await reasonOfIdle()).toContain('TargetMissing'), { timeoutMs: 10_000 });
  await operator.stop();
  addresses = { n1, web, lost };
  pullAway(lost);
}, 120_000);
afterAll(() => world.stop());

/** As somebody else would, behind our back. */
function pullAway(ip: string): void {
  const { allocationId = '' } = world.ec2.snapshot().addresses.find(({ publicIp }) => publicIp === ip) ?? {};
  world.ec2.disassociate({ allocationId });
}

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program, with nothing of the machine's environment. */
function status(args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): Promise<Result> {
  const env = {
    PATH: process.env['PATH'],
    KUBECONFIG: kubeconfig,
    AWS_ENDPOINT_URL_EC2: world.ec2.endpoint(),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'someone',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...environment,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(DIST, 'main.js'), 'status', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

/** The table's lines, with their columns one bar apart. */
function linesOf({ stdout }: Result): readonly string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' | '));
}

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

describe('ipam-operator status, the built one', () => {
  it('shows who has what, who waits and why, what was pulled away, and the pool, and changes nothing', async () => {
    const before = MUTATING.map((action) => world.calls(action));
    const result = await status();
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const { n1, web, lost } = addresses;
    const [head, mismatch, one = '', other = '', ...rest] = linesOf(result);
    // Older ones come first; these two may be of the same second.
    expect([head, mismatch, ...[one, other].toSorted(), ...rest]).toEqual([
      'STATE | OBJECT | ADDRESS | ON | REASON | SINCE | MESSAGE',
      `Mismatch | Eip/default/lost | ${lost} | Pod/web-1 10.0.77.2 | AddressLost | - | The status names ${lost}, but it is attached to nothing`,
      matching(
        /^Waiting \| CiliumNode\/n2 \| - \| i-\w+ \| PoolExhausted \| \d+s \| Waiting for an address with pool=a/,
      ),
      matching(/^Waiting \| Eip\/default\/idle \| [\d.]+ \| - \| TargetMissing \| \d+s \| There is no pod nobody$/),
      `Ready | CiliumNode/n1 | ${n1} | ${world.instanceOf('n1')} | AddressAssigned | -`,
      matching(RegExp(`^Ready \\| Eip/default/web \\| ${web} \\| Pod/web-0 10.0.77.1 \\| AddressAssigned \\| \\d+s`)),
      '',
      'POOL | TOTAL | FREE | ATTACHED | UNCLAIMED | RESERVED | WAITING',
      'pool=a | 1 | 0 | 1 | 0 | 0 | 1',
      '',
      '5 objects: 2 ready, 2 waiting (PoolExhausted 1, TargetMissing 1), 1 mismatch (AddressLost 1)',
    ]);
    expect(MUTATING.map((action) => world.calls(action))).toEqual(before);
    expect(world.ec2.violations()).toEqual([]);
  });

  it('counts the addresses that were allocated for the cluster where its name is given', async () => {
    const result = await status(['--cluster-name', 'prod', '--namespace', 'default']);
    expect(linesOf(result)).toContain('eip.materialize.cloud/cluster_name=prod | 3 | 2 | 1 | 0 | 0 | 0');
  });

  it('shows a node whose address was pulled away, and who has it now', async () => {
    const [other = ''] = world.addPool(1, { pool: 'b' });
    const { addresses: all, interfaces } = world.ec2.snapshot();
    const held = all.find(({ publicIp }) => publicIp === addresses.n1);
    const on = interfaces.find(({ id }) => id === held?.association?.interfaceId);
    const place = { interfaceId: on?.id ?? '', privateIp: on?.privateIps[0] ?? '' };
    const allocationId = all.find(({ publicIp }) => publicIp === other)?.allocationId ?? '';
    pullAway(addresses.n1);
    world.ec2.associate({ ...place, allocationId });
    const [, first] = linesOf(await status(['--sources', 'cilium-node']));
    world.ec2.disassociate({ allocationId });
    world.ec2.associate({ ...place, allocationId: held?.allocationId ?? '' });
    expect(first).toMatch(
      RegExp(
        `^Mismatch \\| CiliumNode/n1 \\| ${addresses.n1} .* AddressLost .*The status names ${addresses.n1}, but i-\\w+ holds ${other}`,
      ),
    );
  });

  it('prints JSON that its schema accepts, with and without the cloud', async () => {
    const schema: object = JSON.parse(readFileSync(path.join(DIST, 'schemas/cli/status.schema.json'), 'utf8'));
    const validate = new Ajv2020({ strictTypes: false, validateFormats: false }).compile(schema);
    for (const words of [[], ['--no-cloud']]) {
      const report: unknown = JSON.parse((await status([...words, '--output', 'json'])).stdout);
      expect([validate(report), validate.errors]).toEqual([true, null]);
      expect(report).toMatchObject({ kind: 'Status', items: expect.arrayContaining([expect.anything()]) });
    }
    const { stdout } = await status(['--output', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ kind: 'Eip', name: 'default/web', state: 'Ready', target: 'Pod/web-0' }),
        { kind: 'Pool', name: 'pool=a', total: 1, free: 0, attached: 1, unclaimed: 0, reserved: 0, waiting: 1 },
      ]),
    });
  });

  it.each([
    ['without credentials', { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }, 'no AWS credentials'],
    ['without a region', { AWS_REGION: '' }, 'egion'],
    ['with an endpoint that does not answer', { AWS_ENDPOINT_URL_EC2: 'http://127.0.0.1:1' }, 'could not be reached'],
  ])('%s says what the cluster says, and in one line on stderr what is missing and why', async (_what, over, why) => {
    const result = await status([], over);
    expect(result.code).toBe(0);
    expect(result.stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining('ipam-operator: the cloud cannot be read'),
    ]);
    expect(result.stderr).toContain(why);
    const lines = linesOf(result);
    expect(lines.at(-1)).toBe('5 objects: 3 ready, 2 waiting (TargetMissing 1); not compared with the cloud');
    expect(lines.some((line) => line.startsWith('POOL'))).toBe(false);
  });

  it('says what the cluster says when the cloud refuses for the rate of calls', async () => {
    const id = world.ec2.injectFault({ kind: 'throttle', action: 'DescribeAddresses' });
    const { code, stdout, stderr } = await status();
    world.ec2.removeFault({ id });
    expect([code, stderr]).toEqual([0, expect.stringContaining('RequestLimitExceeded')]);
    expect(stdout).toContain('not compared with the cloud');
  });

  it('does not ask the cloud when it is told so', async () => {
    const before = world.ec2.journal().length;
    const result = await status(['--no-cloud']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(result).at(-1)).toContain('not compared with the cloud');
    expect(world.ec2.journal()).toHaveLength(before);
  });

  it('leaves out with a warning what its user may not read', async () => {
    const rules = [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }];
    const readers = { apiGroups: ['cilium.io'], resources: ['ciliumnodes'], verbs: ['list'] };
    const nodesOnly = await kubeconfigOf('nodes-only', [...rules, readers]);
    const result = await status(['--kubeconfig', nodesOnly]);
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/^ipam-operator: eip objects may not be read: .+\n$/);
    expect(linesOf(result).at(-1)).toBe('2 objects: 1 ready, 1 waiting (PoolExhausted 1)');
  });

  it('names the API server that does not answer, and ends with 1', async () => {
    const nowhere = world.cluster.writeKubeconfig({ server: 'https://127.0.0.1:1' });
    const { code, stdout, stderr } = await status(['--kubeconfig', nowhere]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('127.0.0.1:1');
  });
});

/** A kubeconfig of a service account with these rights and no others. */
async function kubeconfigOf(name: string, rules: readonly object[]): Promise<string> {
  const { api } = world.cluster;
  const rbac = 'rbac.authorization.k8s.io';
  await api.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } });
  await api.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
  const binding = { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, subjects, roleRef };
  await api.create(binding);
  const token = await world.cluster.createServiceAccountToken({ name, namespace: 'default', expirationSeconds: 3_600 });
  return world.cluster.writeKubeconfig({ token });
}
