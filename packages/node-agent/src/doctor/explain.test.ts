import { describe, expect, it } from '@jest/globals';
import { parseNetworkConfig } from '@static-ip/cni-config';
import type { DirectoryResult } from '@static-ip/cni-config';
import { inputWith, nodeWith } from '../publish/case.test.fixture.ts';
import { planPublish } from '../publish/plan-publish.ts';
import { fileTagsOf } from '../publish/read-file-tags.ts';
import { explain } from './explain.ts';
import type { ClusterFacts, DoctorFacts, DoctorPod, KernelFacts, Route } from './facts.ts';

const FILE = '/etc/cni/net.d/05-cilium.conflist';
const A = { pool: 'a' };

function directory(ipam: object): DirectoryResult {
  const text = JSON.stringify({ cniVersion: '0.3.1', name: 'cilium', plugins: [{ type: 'cilium-cni', ipam }] });
  const result = parseNetworkConfig(text, { file: FILE });
  if (!result.ok) throw new Error('the fixture is broken');
  return { chosen: { file: FILE, config: result.config }, skipped: [], findings: result.findings };
}

const ROUTE: Route = { device: 'ens5', gateway: '10.0.0.1', table: undefined, source: '10.0.0.10' };

function pod(parts: Partial<DoctorPod> & { readonly holds?: boolean } = {}): DoctorPod {
  const { holds = true, ...rest } = parts;
  const annotations: Record<string, string> = holds ? { 'eip.materialize.cloud/allocation_id': 'eipalloc-1' } : {};
  const metadata = { ...nodeWith().metadata, namespace: 'shop', name: 'web', annotations };
  const plain = { nodeName: 'node-1', hostNetwork: false, finished: false, ipv4: '10.0.1.5', publicIp: '203.0.113.9' };
  return { metadata, ...plain, ...rest };
}

interface Parts extends Partial<Omit<DoctorFacts, 'cluster' | 'kernel'>> {
  readonly cluster?: Partial<ClusterFacts>;
  readonly plan?: Partial<KernelFacts['plan']>;
  /** Why the kernel cannot be asked. */
  readonly noKernel?: string;
  /** Why the API server cannot be asked. */
  readonly unreachable?: string;
}

function diagnose({ cluster, plan, unreachable, noKernel, ...parts }: Parts = {}) {
  const facts: ClusterFacts = {
    ciliumNode: { ...nodeWith({ tags: A }), assignedStaticIp: '198.51.100.7' },
    ciliumConfig: { ipam: 'cluster-pool' },
    pods: [pod()],
    ...cluster,
  };
  const read = parts.read ?? directory({ 'static-ip-tags': A });
  const kernel: KernelFacts = {
    plan: {
      state: 'active',
      steps: [],
      pods: [{ ip: '10.0.1.5', path: { kind: 'own' }, kept: true }],
      ...plan,
    },
    nodeRoute: { ok: true, value: ROUTE },
    podRoutes: new Map([['10.0.1.5', { ok: true, value: { ...ROUTE, device: 'ens6', table: '11' } }]]),
  };
  const checks = explain({
    nodeName: 'node-1',
    cniConfDir: '/etc/cni/net.d',
    read,
    cluster: unreachable === undefined ? { ok: true, value: facts } : { ok: false, why: unreachable },
    publish: planPublish(inputWith({ ...facts, node: facts.ciliumNode, file: fileTagsOf(read) })),
    masquerade: 'iptables',
    knowsInside: true,
    kernel: noKernel === undefined ? { ok: true, value: kernel } : { ok: false, why: noKernel },
    podName: undefined,
    ...parts,
  });
  const of = (subject: string, check: string) => checks.find((one) => one.subject === subject && one.check === check);
  return { checks, of, problems: checks.filter(({ verdict }) => verdict === 'problem').map(({ check }) => check) };
}

describe('the diagnosis of a node', () => {
  it('has no problem where all is well, and names file, tags, publisher, way and address', () => {
    const { of, problems } = diagnose();
    expect(problems).toEqual([]);
    expect(of('node', 'file')?.found).toBe(`${FILE}: the first with an entry of Cilium's; it has pool=a`);
    expect(of('node', 'published tags')?.found).toBe('pool=a, written by this agent');
    expect(of('node', 'publishing')?.found).toBe('TagsPublished: published pool=a');
    expect(of('node', 'route')?.found).toBe('to the internet by ens5, by way of 10.0.0.1, from 10.0.0.10');
    expect(of('node', 'public address')?.found).toBe('198.51.100.7');
  });

  it('B07: points at a misspelt key, and says the right one', () => {
    const { of } = diagnose({ read: directory({ staticIpTags: A }) });
    expect(of('node', 'configuration')).toMatchObject({
      verdict: 'problem',
      found: expect.stringContaining('/plugins/0/ipam/staticIpTags'),
      fix: 'write static-ip-tags',
    });
  });

  it('says what is missing when tags are wanted and nobody publishes them', () => {
    const { of, problems } = diagnose({ cluster: { ciliumNode: nodeWith() } });
    expect(problems).toEqual(['publishing']);
    expect(of('node', 'publishing')?.found).toBe('TagsPublished: would publish pool=a');
  });

  it.each([
    [{ masquerade: 'bpf' as const }, 'masquerade', 'enable-bpf-masquerade'],
    [{ knowsInside: false }, 'masquerade', '--vpc-cidr'],
    [{ noKernel: 'ip is missing' }, 'masquerade', 'as root'],
    [{ plan: { steps: [{ kind: 'nft' as const, commands: [] }] } }, 'masquerade', 'job no-masquerade'],
  ])('tells how to repair it: %j', (parts, check, fix) => {
    expect(diagnose(parts).of('node', check)).toMatchObject({ verdict: 'problem', fix: expect.stringContaining(fix) });
  });

  it('goes on without the API server', () => {
    const { problems, of } = diagnose({ unreachable: 'connection refused' });
    expect(problems).toEqual(['api server']);
    expect(of('node', 'file')?.verdict).toBe('ok');
    expect(of('node', 'route')?.verdict).toBe('note');
  });
});

describe('the diagnosis of a pod', () => {
  it('names the address that it holds, its way, and that others see it', () => {
    for (const podName of ['web', 'shop/web']) {
      const { of, problems } = diagnose({ podName });
      expect(problems).toEqual([]);
      expect(of('pod shop/web', 'address held')?.found).toBe('203.0.113.9 (eipalloc-1)');
      expect(of('pod shop/web', 'route')?.found).toContain('ens6');
      expect(of('pod shop/web', 'public address')?.found).toBe('203.0.113.9');
    }
  });

  it.each([
    ['masqueraded in BPF', { masquerade: 'bpf' as const }],
    ['rules missing', { plan: { steps: [{ kind: 'nft' as const, commands: [] }] } }],
    [
      'no rule of Cilium',
      {
        plan: {
          pods: [{ ip: '10.0.1.5', path: { kind: 'unknown' as const, reason: 'NoPodRule' as const }, kept: false }],
        },
      },
    ],
  ])('says that others see the address of the node instead: %s', (_why, parts) => {
    const line = diagnose({ ...parts, podName: 'web' }).of('pod shop/web', 'public address');
    expect(line).toMatchObject({ verdict: 'problem', found: '198.51.100.7' });
  });

  it('expects nothing else of a pod that holds no address, or uses the network of the host', () => {
    for (const one of [pod({ holds: false }), pod({ hostNetwork: true })]) {
      const line = diagnose({ podName: 'web', cluster: { pods: [one] } }).of('pod shop/web', 'public address');
      expect(line?.verdict).toBe('note');
    }
  });

  it('says where to look for a pod that is not here', () => {
    expect(diagnose({ podName: 'gone' }).of('pod gone', 'pod')).toMatchObject({ verdict: 'problem' });
  });
});
