import { afterEach, describe, expect, it } from '@jest/globals';
import { AWS_ALLOCATION_ACTIONS, AWS_NODE_ACTIONS, AWS_OPTIONAL_ACTIONS } from '@static-ip/provider/aws';
import {
  AUTOCREATED,
  compareRights,
  eventually,
  grantsOf,
  installChart,
  MANAGED,
  requestsOf,
  startEipWorld,
} from '@static-ip/testkit';
import type { Deployment, EipWorld, InstalledChart, KubeObject, OperatorProcess } from '@static-ip/testkit';
import { ANNOTATION, CONDITION, LABEL } from '../api/names.ts';

const EIPS = '/apis/materialize.cloud/v2/eips';

/** As a cluster would have it, but in seconds instead of minutes. */
const OPTIONS = {
  clusterName: 'prod-1',
  sources: ['eip'],
  resyncInterval: '1s',
  quotaInterval: '1s',
  leaseDuration: '2s',
  metricsBindAddress: '0',
  healthBindAddress: '0',
};

interface Life {
  readonly world: EipWorld;
  readonly chart: InstalledChart;
  readonly namespace: string;
}

let world: EipWorld | undefined;
afterEach(() => world?.stop());

/** A cluster with the chart in it, and the definition of Eip only if the chart or the operator brings it. */
async function begin(values: object, namespace: string): Promise<Life> {
  let chart: InstalledChart | undefined;
  world = await startEipWorld({
    audit: 'all',
    crds: 'none',
    kubeconfig: async (cluster) => {
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      if (namespace !== 'default') await cluster.api.create(object);
      chart = await installChart({ cluster, values: { ...values } });
      return chart.kubeconfig;
    },
  });
  await world.installCrds();
  if (chart === undefined) throw new Error('the chart was not installed');
  return { world, chart, namespace };
}

function start({ world: here, chart }: Life): Promise<OperatorProcess> {
  const [command, ...flags] = chart.args;
  expect(command).toBe('run');
  return here.operator(flags);
}

/** All that the Eip flow does: makes, attaches, annotates, moves, tells, labels, waits, hands over, lets go, deletes, drains. */
async function liveALife(life: Life): Promise<void> {
  const { world: here, namespace } = life;
  const gateways = { ...MANAGED, gateway: 'a' };
  await here.addPodNode({ name: 'n1', podIps: ['10.0.77.1', '10.0.77.2', '10.0.77.3', '10.0.77.4'], labels: gateways });
  await here.addNode({ name: 'n2', labels: gateways });
  const first = await start(life);
  await eventually(() => here.cluster.api.list(EIPS), { timeoutMs: 20_000 });

  const gate = { readinessGates: [{ conditionType: CONDITION.podReady }] };
  await here.addPod({ name: 'auto', ip: '10.0.77.1', labels: AUTOCREATED, namespace, spec: gate });
  await here.addPod({ name: 'web-0', ip: '10.0.77.2', namespace });
  await here.addEip('web', { selector: { pod: { podName: 'web-0' } } }, namespace);
  const ip = await here.untilAttached('auto', '10.0.77.1', { namespace });
  await until(
    async () => (await here.pod('auto', namespace))?.metadata.annotations?.[ANNOTATION.externalDnsTarget] === ip,
  );
  await here.untilAttached('web', '10.0.77.2', { namespace });
  await until(async () => (await gateOf(here, 'auto', namespace)) === 'True');
  await here.deletePod('web-0', namespace);
  await until(async () => (await here.pod('web-0', namespace)) === undefined);
  await here.addPod({ name: 'web-0', ip: '10.0.77.3', namespace });
  await here.untilAttached('web', '10.0.77.3', { namespace });

  await here.addEip('gateway', { selector: { node: { selector: { gateway: 'a' } } } }, namespace);
  await until(async () => (await readyLabels(here)) === 'false,true');

  await here.addPod({ name: 'poor', ip: '10.0.77.4', namespace });
  const unknown = { staticIpTags: { pool: 'none' } };
  await here.addEip('poor', { selector: { pod: { podName: 'poor' } }, ...unknown }, namespace);
  await here.untilEvent('poor', 'NoAddressMatches');
  // Both are asked at the side, once an interval.
  await until(async () => here.calls('GetServiceQuota') > 0 && here.calls('DescribeRouteTables') > 0);
  // The second process finds the Event of the first, and counts it up.
  const second = await start(life);
  expect(await first.stop()).toBe(0);
  await here.untilEvent('poor', 'NoAddressMatches', 2);

  await here.deletePod('auto', namespace);
  for (const name of ['web', 'gateway', 'poor']) await here.deleteEip(name, namespace);
  await until(async () => {
    const left = await here.cluster.api.list(EIPS);
    if (left.length > 0) throw new Error(`not gone: ${JSON.stringify(left)}`);
    return true;
  });
  expect(here.ec2.snapshot().addresses).toEqual([]);
  expect(await second.stop()).toBe(0);
  const drained = await here.command(drainArgs(life));
  expect(drained).toMatchObject({ code: 0, stdout: expect.stringContaining(`Pod/${namespace}/web-0`) });
}

/** The words of the Job that runs before the release is uninstalled. */
function drainArgs({ chart }: Life): readonly string[] {
  const job = chart.objects.find((object): object is Deployment => object.kind === 'Job');
  return job?.spec.template.spec.containers[0].args ?? [];
}

/** What the nodes say of themselves as gateways, sorted. */
async function readyLabels({ cluster }: EipWorld): Promise<string> {
  const nodes = await cluster.api.list('/api/v1/nodes');
  return nodes
    .map(({ metadata }) => metadata.labels?.[LABEL.egressGatewayReady] ?? 'none')
    .toSorted()
    .join(',');
}

interface PodConditions extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function gateOf(here: EipWorld, name: string, namespace: string): Promise<string | undefined> {
  const found: PodConditions | undefined = await here.pod(name, namespace);
  return found?.status?.conditions?.find(({ type }) => type === CONDITION.podReady)?.status;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await eventually(isSo, { timeoutMs: 20_000 });
}

async function expectExactRights(life: Life): Promise<void> {
  // A missing right ends the story early: the refused request says more than what was then waited for in vain.
  const trouble = await liveALife(life).catch((error: unknown) => error);
  const requests = requestsOf(life.world.cluster.auditLogFile, life.chart.serviceAccount);
  const { unused, refused } = compareRights(grantsOf(life.chart.objects), requests);
  expect({ refused, trouble, unused }).toEqual({ refused: [], trouble: undefined, unused: [] });
  const called = [...AWS_NODE_ACTIONS, ...AWS_ALLOCATION_ACTIONS, ...AWS_OPTIONAL_ACTIONS, 'GetServiceQuota'];
  expect(Object.keys(life.world.ec2.counts()).toSorted()).toEqual(called.toSorted());
  expect(life.world.ec2.violations()).toEqual([]);
}

describe('an operator for Eips that runs as the chart says', () => {
  it('uses every right it has, and needs no other, in Kubernetes and in EC2', async () => {
    await expectExactRights(await begin({ options: OPTIONS }, 'default'));
  }, 150_000);

  it('keeps to one namespace, and installs the definition itself, when it is told to', async () => {
    const options = { ...OPTIONS, namespace: 'apps', installCrds: true };
    await expectExactRights(await begin({ crds: { install: false }, options }, 'apps'));
  }, 150_000);
});
