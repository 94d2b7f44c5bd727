import { readFile, readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { createResourcePaths } from '../cluster/resource-paths.ts';
import type { KubeObject } from '../cluster/kube-object.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { helm } from './helm.ts';
import type { ChartValues } from './helm.ts';
import { resolveOptions } from './option-schema.ts';
import type { OptionsSchema } from './option-schema.ts';
import { daemonSetOf, deploymentOf, renderChart } from './render-chart.ts';
import type { DaemonSet, Deployment } from './render-chart.ts';
import { grantsOf } from './rights.ts';
import { CHART, inRepository } from './repository.ts';

const EXAMPLES = inRepository('examples/helm');
const OPTIONS = 'schemas/operator/options.schema.json';
const EIP_CRD = 'schemas/crd/eips.materialize.cloud.yaml';

async function exampleValues(): Promise<readonly (readonly [string, ChartValues])[]> {
  const files = (await readdir(EXAMPLES)).toSorted();
  const read = async (file: string): Promise<ChartValues> => parse(await readFile(`${EXAMPLES}/${file}`, 'utf8'));
  return Promise.all(files.map(async (file) => [file, await read(file)] as const));
}

/** Values of which each reaches another branch of a template. */
const VARIANTS: Readonly<Record<string, ChartValues>> = {
  defaults: {},
  'the node agent': { agent: { enabled: true } },
  'a node agent that only publishes, with accounts and roles made elsewhere': {
    agent: {
      enabled: true,
      image: { digest: `sha256:${'0'.repeat(64)}` },
      options: {
        jobs: ['publish'],
        ipamStaticIpTags: '{"pool":"a,b"}',
        metricsBindAddress: '0',
        healthBindAddress: '0',
      },
      serviceAccount: { create: false, name: 'mine' },
      rbac: { create: false },
      admissionPolicy: { create: false },
      extraEnv: [{ name: 'A', value: 'b' }],
      affinity: { nodeAffinity: {} },
      podLabels: { pod: 'yes' },
      podAnnotations: { note: 'pod' },
    },
  },
  'another namespace for the Lease': { options: { leaseNamespace: 'default', leaseName: 'other' } },
  'no metrics and no health': { options: { metricsBindAddress: '0', healthBindAddress: '0' } },
  'addresses of IPv6': { options: { metricsBindAddress: '[::]:9000', healthBindAddress: '[::1]:9001' } },
  'accounts and roles made elsewhere': {
    serviceAccount: { create: false, name: 'mine' },
    rbac: { create: false },
    podDisruptionBudget: { enabled: false },
  },
  'Eips of one namespace, with their definition by the operator': {
    options: { sources: ['eip'], clusterName: 'prod-1', namespace: 'default', installCrds: true },
    crds: { install: false },
  },
  'the start-up taint of nodes, with Eips of one namespace': {
    options: { sources: ['eip'], clusterName: 'prod-1', namespace: 'default', startupTaint: 'node-status' },
  },
  'everything optional': {
    image: { digest: `sha256:${'0'.repeat(64)}` },
    imagePullSecrets: [{ name: 'registry' }],
    commonLabels: { team: 'network' },
    podLabels: { pod: 'yes' },
    podAnnotations: { note: 'pod' },
    deploymentAnnotations: { note: 'deployment' },
    extraEnv: [{ name: 'AWS_PROFILE', value: 'static-ip' }],
    extraVolumes: [{ name: 'aws', secret: { secretName: 'aws' } }],
    extraVolumeMounts: [{ name: 'aws', mountPath: '/etc/aws', readOnly: true }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [],
  },
};

async function deployment(values: ChartValues): Promise<Deployment> {
  return deploymentOf(await renderChart({ values }));
}

function definitionIn(objects: readonly KubeObject[]): KubeObject | undefined {
  return objects.find(({ kind }) => kind === 'CustomResourceDefinition');
}

async function agentPod(agent: ChartValues): Promise<DaemonSet['spec']['template']['spec']> {
  return daemonSetOf(await renderChart({ values: { agent } })).spec.template.spec;
}

/** There only while something else happens to the release. */
function isHook({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['helm.sh/hook'] !== undefined;
}

const CILIUM_NODES = ['cilium.io/ciliumnodes', 'cilium.io/ciliumnodes/status'];
const EIPS = ['/pods', '/pods/status', 'materialize.cloud/eips', 'materialize.cloud/eips/status'];

/** The custom and namespaced resources that the roles are about, and where: not what every operator needs. */
function rightsIn(objects: readonly KubeObject[]): readonly string[] {
  const grants = grantsOf(objects.filter((object) => !isHook(object))).filter(
    ({ resource }) => !/^\/(nodes|namespaces)|events|leases/.test(resource),
  );
  const words = grants.map(({ resource, namespace, name }) =>
    [resource, namespace === undefined ? [] : ['in', namespace], name ?? []].flat().join(' '),
  );
  return [...new Set(words)].toSorted();
}

async function verbsOnNodes(options: object): Promise<readonly string[]> {
  const grants = grantsOf(await renderChart({ values: { options } }));
  return grants.flatMap(({ resource, verb }) => (resource === '/nodes' ? verb : []));
}

/** Says of every Job of the namespace that it has succeeded, as its controller does; answers their names. */
async function completeJobs({ api }: Cluster, namespace: string, signal: AbortSignal): Promise<readonly string[]> {
  const names = new Set<string>();
  const now = new Date().toISOString();
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: now,
  }));
  for (; !signal.aborted; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    for (const { metadata } of await api.list(path)) {
      if (names.has(metadata.name)) continue;
      names.add(metadata.name);
      const status = { startTime: now, completionTime: now, succeeded: 1, conditions };
      await api.patchStatus(`${path}/${metadata.name}`, status);
    }
  }
  return [...names];
}

describe('the chart, rendered by helm', () => {
  it('passes helm lint with the defaults and with every example', async () => {
    for (const [, values] of [['defaults', {}] as const, ...(await exampleValues())]) {
      expect(await helm(['lint', '--strict', CHART], values)).toContain('1 chart(s) linted, 0 chart(s) failed');
    }
  });

  it('runs by default with the network and resolver of the node, on nodes that are not ready yet', async () => {
    const { template, replicas } = (await deployment({})).spec;
    expect(replicas).toBe(1);
    expect(template.spec).toMatchObject({
      hostNetwork: true,
      dnsPolicy: 'Default',
      priorityClassName: 'system-cluster-critical',
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    const tolerations = JSON.stringify(template.spec['tolerations']);
    expect(tolerations).toContain('node.cilium.io/agent-not-ready');
    expect(tolerations).toContain('node.kubernetes.io/not-ready');
    expect(template.spec.containers[0]['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('has the definition of Eip as it is written by hand, kept when the chart goes; or not at all', async () => {
    const source: KubeObject & { readonly spec: unknown } = parse(await readFile(inRepository(EIP_CRD), 'utf8'));
    expect(definitionIn(await renderChart())).toMatchObject({
      metadata: { name: source.metadata.name, annotations: { 'helm.sh/resource-policy': 'keep' } },
      spec: source.spec,
    });
    expect(definitionIn(await renderChart({ values: { crds: { install: false } } }))).toBeUndefined();
  });

  it.each([
    ['CiliumNodes alone, without a cluster name', {}, CILIUM_NODES],
    ['CiliumNodes alone, when they are named', { sources: ['cilium-node'], clusterName: 'a' }, CILIUM_NODES],
    ['Eips alone, when they are named', { sources: ['eip'], clusterName: 'a' }, EIPS],
    ['both, with a cluster name', { clusterName: 'a' }, [...CILIUM_NODES, ...EIPS]],
    [
      'Eips of one namespace, where it may serve no other',
      { sources: ['eip'], clusterName: 'a', namespace: 'apps' },
      EIPS.map((what) => `${what} in apps`),
    ],
    [
      'the definition of Eip, when it shall install it',
      { installCrds: true },
      [...CILIUM_NODES, 'apiextensions.k8s.io/customresourcedefinitions eips.materialize.cloud'],
    ],
  ])('gives the operator rights for %s', async (_what, options, expected) => {
    expect(rightsIn(await renderChart({ values: { options } }))).toEqual(expected.toSorted());
  });

  it('gives every option its flag: lists one for each item, nothing for what is empty', async () => {
    const options = { clusterName: 'prod-1', requireTag: ['a=1', 'b=x y,"z"'], ec2Rate: [], workers: 3 };
    const { args } = (await deployment({ options })).spec.template.spec.containers[0];
    expect(args[0]).toBe('run');
    expect(args).toEqual(
      expect.arrayContaining(['--cluster-name=prod-1', '--require-tag=a=1', '--require-tag=b=x y,"z"', '--workers=3']),
    );
    expect(args).toContain('--lease-namespace=kube-system');
    expect(args.filter((word) => /^--(ec2-rate|kubeconfig)/.test(word))).toEqual([]);
  });

  it('may change nodes only where the label of egress gateways or the start-up taint asks for it', async () => {
    const sources = ['cilium-node'];
    expect(await verbsOnNodes({ sources })).toEqual(['list', 'watch']);
    expect(await verbsOnNodes({ sources, startupTaint: 'confirmed' })).toEqual(['list', 'watch', 'patch']);
    expect(await verbsOnNodes({ sources: ['eip'], clusterName: 'c' })).toEqual(['list', 'watch', 'patch']);
  });

  it('drains before it is uninstalled, where Eips are served, with the options that drain has', async () => {
    expect((await renderChart()).filter(isHook)).toEqual([]);
    const off = { options: { clusterName: 'c' }, drain: { enabled: false } };
    expect((await renderChart({ values: off })).filter(isHook)).toEqual([]);
    const options = { clusterName: 'c', namespace: 'apps', kubeconfig: '/k', ec2Rate: ['ReleaseAddress=1/1'] };
    const values = { options, aws: { region: 'eu-west-1' }, drain: { addresses: 'release' } };
    const hooks = (await renderChart({ values })).filter(isHook);
    const right = { verb: 'patch', resource: 'apps/deployments/scale', namespace: 'kube-system', name: 'static-ip' };
    expect(grantsOf(hooks)).toEqual([right]);
    const job = hooks.find((object): object is Deployment => object.kind === 'Job');
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-delete' });
    const { args = [], env } = job?.spec.template.spec.containers[0] ?? {};
    expect(args.slice(0, 3)).toEqual(['drain', '--stop-deployment=kube-system/static-ip', '--addresses=release']);
    expect(env).toEqual([{ name: 'AWS_REGION', value: 'eu-west-1' }]);
    const schema: OptionsSchema = JSON.parse(await readFile(inRepository(OPTIONS), 'utf8'));
    const ofDrain = [...resolveOptions(schema)].filter(([, option]) => Object(option['x-commands']).includes('drain'));
    const flags = ofDrain.map(([name]) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    expect(new Set(args.slice(4).map((flag) => flag.split('=')[0]))).toEqual(new Set(flags));
  });

  it('runs the node agent on every node, with as little right to the node as its jobs need', async () => {
    expect((await renderChart()).filter(({ kind }) => kind === 'DaemonSet')).toEqual([]);
    const both = await agentPod({ enabled: true });
    expect(both).toMatchObject({
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      tolerations: [{ operator: 'Exists' }],
    });
    const [container] = both.containers;
    expect(container.env).toContainEqual({
      name: 'NODE_NAME',
      valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } },
    });
    expect(container['securityContext']).toMatchObject({
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] },
    });
    expect(container['volumeMounts']).toContainEqual({ name: 'cni', mountPath: '/etc/cni/net.d', readOnly: true });
    const [publisher] = (await agentPod({ enabled: true, options: { jobs: ['publish'] } })).containers;
    expect(publisher['securityContext']).toMatchObject({ capabilities: { drop: ['ALL'] } });
    expect(JSON.stringify(publisher)).not.toMatch(/NET_ADMIN|xtables/);
    expect(publisher.args).toContain('--jobs=publish');
  });

  it('derives ports and probes from the bind addresses', async () => {
    const options = { metricsBindAddress: ':9464', healthBindAddress: '127.0.0.1:9465' };
    const [container] = (await deployment({ options })).spec.template.spec.containers;
    expect(container.ports).toEqual([
      { name: 'metrics', containerPort: 9464, protocol: 'TCP' },
      { name: 'health', containerPort: 9465, protocol: 'TCP' },
    ]);
    expect(container).toMatchObject({
      livenessProbe: { httpGet: { path: '/healthz', port: 'health', host: '127.0.0.1' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'health', host: '127.0.0.1' } },
    });
  });

  it('says region and endpoint to the AWS SDK', async () => {
    const [{ env }] = (await deployment({ aws: { region: 'eu-west-1', endpointUrl: 'https://ec2.example.com' } })).spec
      .template.spec.containers;
    expect(env).toEqual([
      { name: 'AWS_REGION', value: 'eu-west-1' },
      { name: 'AWS_ENDPOINT_URL_EC2', value: 'https://ec2.example.com' },
    ]);
  });

  it.each([
    ['an option that does not exist', { options: { clusterNam: 'a' } }, 'clusterNam'],
    ['an option of the wrong form', { options: { resyncInterval: '60' } }, 'resyncInterval'],
    ['a value that does not exist', { replica: 2 }, 'replica'],
    ['Eips without the name of the cluster', { options: { sources: ['eip'] } }, 'clusterName'],
    [
      'a ServiceMonitor without metrics',
      { options: { metricsBindAddress: '0' }, serviceMonitor: { enabled: true } },
      'metrics',
    ],
  ])('refuses %s, and names it', async (_what, values, named) => {
    await expect(renderChart({ values })).rejects.toThrow(named);
  });
});

describe('the chart, on a real API server', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 90_000);
  afterAll(() => cluster.stop());

  /** Strict: the server refuses fields it does not know instead of dropping them. */
  async function tryApply(object: KubeObject): Promise<KubeObject> {
    const path = await createResourcePaths({ send: cluster.api.send, close: cluster.api.close }).of(object);
    const query = 'dryRun=All&fieldManager=test&fieldValidation=Strict&force=true';
    return cluster.api.send({
      method: 'PATCH',
      path: `${path}?${query}`,
      body: object,
      contentType: 'application/apply-patch+yaml',
    });
  }

  async function expectApplies(values: ChartValues): Promise<void> {
    const objects = await renderChart({ values });
    // Its definition belongs to the Prometheus operator.
    for (const object of objects.filter(({ kind }) => kind !== 'ServiceMonitor')) {
      expect(await tryApply(object)).toMatchObject({ kind: object.kind, metadata: { name: object.metadata.name } });
    }
  }

  it.each(Object.entries(VARIANTS))('is admitted, every object of it: %s', async (_name, values) => {
    await expectApplies(values);
  });

  it('is admitted with the values of every example', async () => {
    const examples = await exampleValues();
    expect(examples.length).toBeGreaterThan(0);
    for (const [, values] of examples) await expectApplies(values);
  });

  it('installs, upgrades and uninstalls with helm, and leaves nothing behind but the definition of Eip', async () => {
    const where = ['--kubeconfig', cluster.kubeconfigPath, '--namespace', 'address-system'];
    await helm(['install', 'ips', CHART, ...where, '--create-namespace'], { agent: { enabled: true } });
    const before = await cluster.api.get<Deployment>({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'ips-static-ip', namespace: 'address-system' },
    });
    expect(before.spec.template.spec.containers[0].args).toContain('--lease-namespace=address-system');
    const notes = await helm(['upgrade', 'ips', CHART, ...where], { options: { clusterName: 'prod-1' } });
    expect(notes).toContain('kubectl -n address-system logs deployment/ips-static-ip');
    const done = new AbortController();
    const working = completeJobs(cluster, 'address-system', done.signal);
    await helm(['uninstall', 'ips', ...where, '--timeout', '60s']);
    done.abort();
    expect(await working).toEqual(['ips-static-ip-drain']);
    const kinds = [
      ['batch/v1', 'Job'],
      ['apps/v1', 'Deployment'],
      ['v1', 'Service'],
      ['v1', 'ServiceAccount'],
      ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
      ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
      ['rbac.authorization.k8s.io/v1', 'Role'],
      ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
      ['apps/v1', 'DaemonSet'],
      ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy'],
      ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding'],
    ] as const;
    for (const [apiVersion, kind] of kinds) {
      const labelSelector = 'app.kubernetes.io/instance=ips';
      expect(await cluster.api.list({ apiVersion, kind }, { labelSelector })).toEqual([]);
    }
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await cluster.api.list(definitions)).map(({ metadata }) => metadata.name)).toEqual([
      'eips.materialize.cloud',
    ]);
    // And the next release takes it on.
    await helm(['install', 'ips', CHART, ...where]);
  });

  it('takes on a definition of Eip that somebody else applied, when helm is told to', async () => {
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/eips.materialize.cloud';
    await cluster.api.patch(definition, {
      metadata: { labels: null, annotations: null },
      spec: { names: { shortNames: ['old'] } },
    });
    const where = ['--kubeconfig', cluster.kubeconfigPath, '--namespace', 'takes-over', '--create-namespace'];
    const install = ['upgrade', '--install', 'taker', CHART, ...where];
    await expect(helm(install)).rejects.toThrow('cannot be imported into the current release');
    await helm([...install, '--take-ownership', '--force-conflicts']);
    expect(await cluster.api.get(definition)).toMatchObject({ spec: { names: { shortNames: ['sip'] } } });
  });
});
