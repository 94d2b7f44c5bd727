import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ciliumCrd, kubectl, startCluster } from '@static-ip/testkit';
import type { Cluster, KubeObject } from '@static-ip/testkit';
import { EIPS } from '../api/eip.ts';
import { isManaged } from '../api/names.ts';
import { EIP_CRD } from '../testing/eip-objects.ts';

const FOLDER = new URL('../../../../examples/eip/', import.meta.url).pathname;
const FILES = globSync('*.yaml', { cwd: FOLDER }).toSorted();

let cluster: Cluster;
let isEgressServed = false;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.api.installCrd(EIP_CRD);
  const policies = await ciliumCrd('ciliumegressgatewaypolicies');
  if (policies.yaml === undefined) {
    if (process.env['CI'] === 'true') throw new Error(policies.reason);
    process.stderr.write(`The policy of examples/eip/egress-gateway.yaml is not tried: ${policies.reason}\n`);
    return;
  }
  await cluster.api.installCrd(policies.yaml);
  isEgressServed = true;
}, 120_000);
afterAll(() => cluster.stop());

interface Workload extends KubeObject {
  readonly spec: { readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string>> } } };
}

describe('the examples of Eips', () => {
  it('are all in the table of their README', () => {
    const readme = readFileSync(path.join(FOLDER, 'README.md'), 'utf8');
    expect(FILES.filter((file) => !readme.includes(`](${file})`))).toEqual([]);
    expect(FILES.length).toBeGreaterThan(0);
  });

  it.each(FILES)('%s is applied by kubectl, without a warning and without an unknown field', async (file) => {
    const served = readFileSync(path.join(FOLDER, file), 'utf8')
      .split('\n---\n')
      .filter((document) => isEgressServed || !document.includes('kind: CiliumEgressGatewayPolicy'));
    const applied = await kubectl(
      cluster,
      ['apply', '--server-side', '--validate=strict', '--warnings-as-errors', '-f', '-'],
      served.join('\n---\n'),
    );
    expect(applied.trimEnd().split('\n')).toHaveLength(served.length);
  });

  it('choose somebody, every one of them', async () => {
    const eips = (await cluster.api.list('/apis/materialize.cloud/v2/eips')).map((raw) => EIPS.parse(raw));
    expect(eips.length).toBeGreaterThan(5);
    expect(eips.filter(({ selector }) => selector.kind === 'invalid')).toEqual([]);
  });

  it('have the label on every pod, without which the operator leaves it alone', async () => {
    const workloads = [
      ...(await cluster.api.list<Workload>('/apis/apps/v1/deployments')),
      ...(await cluster.api.list<Workload>('/apis/apps/v1/statefulsets')),
    ];
    const labels = workloads.map(({ spec }) => spec.template.metadata.labels);
    expect(labels.length).toBeGreaterThan(2);
    expect(labels.filter((each) => !isManaged(each))).toEqual([]);
  });
});
