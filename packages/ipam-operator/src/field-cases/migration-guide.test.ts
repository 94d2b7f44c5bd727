import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CLUSTER_NAME,
  eventually,
  inRepository,
  openWorkstation,
  shellBlocksIn,
  startEipWorld,
  ToolUnavailableError,
} from '@static-ip/testkit';
import type { EipWorld, KubeObject, Workstation } from '@static-ip/testkit';
import { FINALIZER } from '../api/names.ts';
import { runDeployments } from '../testing/deployments.ts';
import type { DeploymentRunner } from '../testing/deployments.ts';
import { installPredecessorCrd } from '../testing/predecessor-crd.ts';
import { installPredecessor } from '../testing/predecessor-deployment.ts';
import {
  addPredecessorEip,
  addPredecessorObjects,
  PREDECESSOR_EIPS,
  predecessorPodEip,
  predecessorsView,
} from '../testing/predecessor-world.ts';

/**
 * The commands of the guide, read from it and run in their order, on a real API server with kubectl, helm and the AWS CLI,
 * in a cluster as k8s-eip-operator leaves it. What the cluster's controllers and kubelets would do about Deployments is
 * played; the new operator is the shipped one, run as its Deployment says.
 */
const GUIDE = 'docs/migrating-from-k8s-eip-operator.md';
const BLOCKS = shellBlocksIn(readFileSync(inRepository(GUIDE), 'utf8'));

/** Blocks that are not run, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci\nnpm run build': 'tests run in a checkout that is installed and built',
};

/** What a reader fills in. */
const FILLED_IN: Readonly<Record<string, string>> = {
  'prod-1': CLUSTER_NAME,
  'eu-west-1': 'us-east-1',
  NAMESPACE: 'default',
  NAME: 'eip-lost',
  POD: 'lost',
};

const LOST = predecessorPodEip('eip-lost', 'lost', { version: 'v1', n: 4 });

let world: EipWorld;
let workstation: Workstation;
let deployments: DeploymentRunner;
let missing: string | undefined;

/** One Eip is of the time when there was only v1, and one was written in v1 later: its pod is lost. */
async function addPredecessor(): Promise<void> {
  const { api } = world.cluster;
  await addPredecessorObjects(world);
  await world.addPod({ name: 'lost', ip: '10.0.77.4', finalizers: [FINALIZER.pod] });
  const [first, ...others] = PREDECESSOR_EIPS;
  await installPredecessorCrd(api, ['v1']);
  if (first !== undefined) await addPredecessorEip(world, first);
  await installPredecessorCrd(api, ['v1', 'v2']);
  for (const eip of [...others, LOST]) await addPredecessorEip(world, eip);
  await installPredecessor(api);
}

/** Runs the blocks of a section; resolves to what each wrote. */
async function follow(section: string): Promise<readonly string[]> {
  const written: string[] = [];
  for (const { text } of BLOCKS.filter((block) => block.section === section)) {
    if (NOT_RUN[text] !== undefined) continue;
    written.push(await workstation.run(text.replaceAll(PLACEHOLDER, (word) => FILLED_IN[word] ?? word)));
  }
  return written;
}

const PLACEHOLDER = new RegExp(`\\b(${Object.keys(FILLED_IN).join('|')})\\b`, 'g');

async function names(path: string): Promise<readonly string[]> {
  return (await world.cluster.api.list<KubeObject>(path)).map(({ metadata }) => metadata.name);
}

/** The steps before the new operator runs. */
async function prepare(): Promise<void> {
  await follow('Migrating from k8s-eip-operator');
  await follow('1. Write down what there is');
  expect(workstation.read('eips-before.yaml')).toContain('name: eip-gw');
  expect(workstation.read('pods-before.txt')).toContain('auto');
  expect(workstation.read('nodes-before.txt')).toContain('gw');
  expect(JSON.parse(workstation.read('addresses-before.json'))).toHaveLength(PREDECESSOR_EIPS.length + 1);

  await follow('3. Stop the old operator');
  expect(await names('/api/v1/namespaces/default/pods')).not.toContain('eip-operator-0');

  const [, lost, , plan] = await follow('4. The definition of Eip');
  expect(lost).toBe('default/eip-lost\n');
  expect((await world.eip('eip-lost'))?.spec).toEqual({ podName: 'lost' });
  const eips = (plan ?? '').split('\n').filter((line) => line.startsWith('Eip/'));
  expect(eips).toHaveLength(PREDECESSOR_EIPS.length + 1);
  expect(eips.filter((line) => !/ none .* AddressAssigned /.test(line))).toEqual([]);
}

async function start(): Promise<void> {
  const [, eips, difference] = await follow('5. Start the new one');
  expect(eips?.match(/condition met/g)).toHaveLength(PREDECESSOR_EIPS.length + 1);
  expect(difference).toBe('');
}

function mutatingCalls(): readonly string[] {
  return world.ec2.journal().flatMap(({ action }) => (action.startsWith('Describe') ? [] : [action]));
}

/** Nothing was changed that the old operator could see, in the cloud nothing at all. */
async function expectNothingMoved(before: unknown): Promise<void> {
  expect(mutatingCalls()).toEqual([]);
  expect(await predecessorsView(world)).toEqual(before);
  expect(world.onPrivate('10.0.77.4')).toBe((await world.eip('eip-lost'))?.status?.['publicIpAddress']);
}

/** On a machine without python there is no AWS CLI; where the pipeline runs it must not be missing. */
async function sitDown(): Promise<void> {
  try {
    workstation = await openWorkstation(world.cluster, world.ec2.endpoint(), AbortSignal.timeout(240_000));
  } catch (error) {
    if (!(error instanceof ToolUnavailableError) || process.env['CI'] !== undefined) throw error;
    missing = error.message;
    process.stderr.write(`The guide is not followed: ${missing}\n`);
  }
}

describe('the guide from k8s-eip-operator to here', () => {
  beforeEach(async () => {
    world = await startEipWorld({ crds: 'none', kubeconfig: async ({ kubeconfigPath }) => kubeconfigPath });
    await world.installCrds();
    await sitDown();
    await addPredecessor();
    deployments = runDeployments(world, 'static-ip');
  }, 300_000);
  afterEach(async () => {
    await deployments.stop();
    await world.stop();
  });

  it('is followed to its end, and no address moves', async () => {
    if (missing !== undefined) return;
    const before = await predecessorsView(world);
    await prepare();
    await expectNothingMoved(before);
    await start();
    await expectNothingMoved(before);
    await follow('6. The agent on Cilium nodes');
    expect(await names('/apis/apps/v1/daemonsets')).toEqual([]);
    await follow('7. Clean up');
    expect(await names('/apis/apps/v1/deployments')).toEqual(['static-ip']);
    expect(await names('/api/v1/namespaces/default/serviceaccounts')).not.toContain('eip-operator');
    for (const kind of ['clusterroles', 'clusterrolebindings']) {
      const left = await names(`/apis/rbac.authorization.k8s.io/v1/${kind}`);
      expect(left.filter((name) => name.startsWith('eip-operator'))).toEqual([]);
    }
    await expectNothingMoved(before);
    expect((await world.pod('two'))?.metadata.finalizers).toEqual([FINALIZER.pod]);
  }, 240_000);

  it('leads back: the old operator finds all as it left it', async () => {
    if (missing !== undefined) return;
    const before = await predecessorsView(world);
    await prepare();
    await start();
    await follow('Going back');
    await eventually(
      async () => {
        const pods = await names('/api/v1/pods');
        expect([pods.includes('static-ip-0'), pods.includes('eip-operator-0')]).toEqual([false, true]);
      },
      { timeoutMs: 10_000 },
    );
    await expectNothingMoved(before);
  }, 240_000);
});

describe('these tests', () => {
  it('run every section of the guide that has commands, and say of each block that is left out why', () => {
    expect([...new Set(BLOCKS.map(({ section }) => section))]).toEqual([
      'Migrating from k8s-eip-operator',
      '1. Write down what there is',
      '3. Stop the old operator',
      '4. The definition of Eip',
      '5. Start the new one',
      '6. The agent on Cilium nodes',
      '7. Clean up',
      'Going back',
    ]);
    const texts = BLOCKS.map(({ text }) => text);
    expect(Object.keys(NOT_RUN).filter((text) => !texts.includes(text))).toEqual([]);
  });
});
