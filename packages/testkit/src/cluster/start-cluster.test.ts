import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import { ciliumNodeCrd, fallbackCiliumNodeCrd } from '../assets/cilium-crd.ts';
import { createApiClient } from './api.ts';
import { ciliumNode, node } from './builders.ts';
import type { CiliumNodeObject, NodeObject } from './builders.ts';
import { eventually } from './eventually.ts';
import { startCluster } from './start-cluster.ts';
import type { Cluster } from './start-cluster.ts';

const CILIUM_NODES = { apiVersion: 'cilium.io/v2', kind: 'CiliumNode' };

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority': string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

interface Review {
  readonly status: { readonly userInfo: { readonly username: string } };
}

let cluster: Cluster;
let other: Cluster;

beforeAll(async () => {
  [cluster, other] = await Promise.all([startCluster(), startCluster()]);
}, 60_000);

afterAll(async () => {
  await Promise.all([cluster.stop(), other.stop()]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('cluster', () => {
  it('runs beside another one, each with its own objects', async () => {
    await cluster.api.create(node({ name: 'only-here' }));
    expect(await cluster.api.find(node({ name: 'only-here' }))).toBeDefined();
    expect(await other.api.find(node({ name: 'only-here' }))).toBeUndefined();
    const uids = await Promise.all(
      [cluster, other].map(async ({ api }) => (await api.get('/api/v1/namespaces/kube-system')).metadata.uid),
    );
    expect(new Set(uids).size).toBe(2);
  });

  it('reports the version it was built from', async () => {
    const version = await cluster.api.send<{ gitVersion: string }>({ method: 'GET', path: '/version' });
    expect(version.gitVersion).toBe('v1.36.3');
  });

  it('denies a service account what no role allows, and allows it with one', async () => {
    const token = await cluster.createServiceAccountToken({ namespace: 'default', name: 'reader' });
    const reader = createApiClient({ url: cluster.url, caFile: cluster.caFile, token });
    try {
      const nodes = { apiVersion: 'v1', kind: 'Node' };
      await expect(reader.list(nodes)).rejects.toMatchObject({ status: 403, reason: 'Forbidden' });
      await cluster.api.applyYaml(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: read-nodes }
rules: [{ apiGroups: [''], resources: [nodes], verbs: [list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: read-nodes }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: read-nodes }
subjects: [{ kind: ServiceAccount, namespace: default, name: reader }]
`);
      // The authorizer reads roles through a watch of its own.
      await eventually(() => reader.list(nodes), { timeoutMs: 5_000 });
      await expect(reader.create(node({ name: 'forbidden' }))).rejects.toMatchObject({ status: 403 });
    } finally {
      await reader.close();
    }
  });

  it('refuses a token it did not issue', async () => {
    const token = await other.createServiceAccountToken({ namespace: 'default', name: 'stranger' });
    const stranger = createApiClient({ url: cluster.url, caFile: cluster.caFile, token });
    await expect(stranger.list({ apiVersion: 'v1', kind: 'Node' })).rejects.toMatchObject({ status: 401 });
    await stranger.close();
  });

  it('takes the status of a node through its subresource, and only there', async () => {
    const ready = node({ name: 'ready', externalIp: '203.0.113.7' });
    const created = await cluster.api.createWithStatus<NodeObject>(ready);
    expect(created.status).toMatchObject(ready.status ?? {});
    await cluster.api.patch(ready, { status: { conditions: [] } });
    expect((await cluster.api.get<NodeObject>(ready)).status).toMatchObject(ready.status ?? {});
  });

  it.each([
    ["Cilium's or our", async () => (await ciliumNodeCrd()).yaml],
    ['our fallback', async () => fallbackCiliumNodeCrd()],
  ])(
    'serves CiliumNodes right after installing %s definition',
    async (_, yaml) => {
      await cluster.api.installCrd(await yaml());
      const wanted = ciliumNode({
        name: 'tagged',
        tags: { pool: 'partner', empty: '' },
        assignedStaticIp: '192.0.2.1',
      });
      const created = await cluster.api.create(wanted);
      expect(created.spec.ipam).toEqual(wanted.spec.ipam);
      expect(created.status?.ipam).toBeUndefined();
      await cluster.api.patchStatus(wanted, wanted.status);
      const stored = await cluster.api.get<CiliumNodeObject>(wanted);
      expect(stored.status?.ipam?.['assigned-static-ip']).toBe('192.0.2.1');
      expect(stored.spec['instance-id']).toBe(wanted.spec['instance-id']);
      await expect(
        cluster.api.patch(wanted, { spec: { ipam: { 'static-ip-tags': { pool: 7 } } } }),
      ).rejects.toMatchObject({ status: 422, reason: 'Invalid' });
      expect(await cluster.api.list(CILIUM_NODES)).toHaveLength(1);
      await cluster.api.delete(wanted);
    },
    30_000,
  );

  it('keeps its objects and its address when the API server restarts', async () => {
    const before = other.pids();
    await other.api.create(node({ name: 'survivor' }));
    await other.restartApiserver({ kill: true });
    expect(await other.api.find(node({ name: 'survivor' }))).toBeDefined();
    expect(other.pids().etcd).toBe(before.etcd);
    expect(isAlive(before.apiserver)).toBe(false);
  });

  it('leaves neither processes nor files when it stops', async () => {
    const third = await startCluster();
    const { etcd, apiserver } = third.pids();
    await third.stop();
    await third.stop();
    expect([etcd, apiserver].map(isAlive)).toEqual([false, false]);
    expect(existsSync(third.dataDir)).toBe(false);
  });

  it('leaves neither processes nor files when its parent is killed', async () => {
    const module = new URL('start-cluster.ts', import.meta.url).href;
    const script = `
      const { startCluster } = await import(${JSON.stringify(module)});
      const { dataDir, pids } = await startCluster();
      console.log(JSON.stringify({ dataDir, ...pids() }));
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line]: string[] = await once(createInterface({ input: parent.stdout }), 'line');
    const started: { dataDir: string; etcd: number; apiserver: number } = JSON.parse(line ?? '');
    expect([started.etcd, started.apiserver].map(isAlive)).toEqual([true, true]);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await eventually(() => !existsSync(started.dataDir) && !isAlive(started.etcd) && !isAlive(started.apiserver), {
      timeoutMs: 10_000,
    });
  }, 30_000);

  it('writes a kubeconfig for another user and another server', async () => {
    const token = await cluster.createServiceAccountToken({ namespace: 'default', name: 'configured' });
    const file = cluster.writeKubeconfig({ token, server: 'https://127.0.0.1:1' });
    const { clusters, users }: Kubeconfig = parse(readFileSync(file, 'utf8'));
    expect(clusters).toMatchObject([{ cluster: { server: 'https://127.0.0.1:1' } }]);
    const caFile = clusters[0]?.cluster['certificate-authority'] ?? '';
    const configured = createApiClient({ url: cluster.url, caFile, token: users[0]?.user.token ?? '' });
    const review = await configured.send<Review>({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(review.status.userInfo.username).toBe('system:serviceaccount:default:configured');
    await configured.close();
  });
});
