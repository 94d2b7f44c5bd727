import { describe, expect, it } from '@jest/globals';
import { METRICS } from './metric-definitions.ts';
import { createMetrics } from './metrics.ts';
import type { ClaimCount, Metrics, PoolCounts } from './metrics.ts';

const make = (): Metrics => createMetrics({ version: '1.2.3', nodeVersion: '24.0.0', provider: 'aws' });

async function linesOf(metrics: Metrics, name: string): Promise<readonly string[]> {
  const { text } = await metrics.expose();
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('metrics', () => {
  it('count calls to the cloud by action and code, and time them in seconds', async () => {
    const metrics = make();
    metrics.cloudCall({ action: 'AssociateAddress', code: 'ok', durationMs: 40 });
    metrics.cloudCall({ action: 'AssociateAddress', code: 'RequestLimitExceeded', durationMs: 2_000 });
    expect(await linesOf(metrics, 'static_ip_cloud_calls_total')).toEqual([
      'static_ip_cloud_calls_total{action="AssociateAddress",code="ok"} 1',
      'static_ip_cloud_calls_total{action="AssociateAddress",code="RequestLimitExceeded"} 1',
    ]);
    const duration = await linesOf(metrics, 'static_ip_cloud_call_duration_seconds');
    expect(duration).toContain('static_ip_cloud_call_duration_seconds_sum{action="AssociateAddress"} 2.04');
    expect(duration).toContain('static_ip_cloud_call_duration_seconds_bucket{le="0.05",action="AssociateAddress"} 1');
  });

  it('ask for the state of things at each scrape, and forget what is no more', async () => {
    const metrics = make();
    let depth = 3;
    let pools: ReadonlyMap<string, PoolCounts> = new Map([
      ['pool=a', { free: 2, attached: 5, unclaimed: 1, reserved: 0 }],
    ]);
    let claims: readonly ClaimCount[] = [
      { source: 'cilium-node', reason: 'PoolExhausted', waiting: true, count: 4 },
      { source: 'cilium-node', reason: 'AddressAssigned', waiting: false, count: 5 },
    ];
    metrics.watchQueue('claims', () => depth);
    metrics.watchPools(() => pools);
    metrics.watchClaims(() => claims);
    expect(await linesOf(metrics, 'static_ip_queue_depth')).toEqual(['static_ip_queue_depth{controller="claims"} 3']);
    expect(await linesOf(metrics, 'static_ip_pool_addresses')).toContain(
      'static_ip_pool_addresses{pool="pool=a",state="free"} 2',
    );
    expect(await linesOf(metrics, 'static_ip_waiters')).toEqual(['static_ip_waiters{reason="PoolExhausted"} 4']);

    depth = 0;
    pools = new Map();
    claims = [{ source: 'cilium-node', reason: 'AddressAssigned', waiting: false, count: 9 }];
    expect(await linesOf(metrics, 'static_ip_queue_depth')).toEqual(['static_ip_queue_depth{controller="claims"} 0']);
    expect(await linesOf(metrics, 'static_ip_pool_addresses')).toEqual([]);
    expect(await linesOf(metrics, 'static_ip_waiters')).toEqual([]);
    expect(await linesOf(metrics, 'static_ip_claims')).toEqual([
      'static_ip_claims{source="cilium-node",reason="AddressAssigned"} 9',
    ]);
  });

  it('have no sample of a quota that is not known', async () => {
    const metrics = make();
    const samples = async () => [
      await linesOf(metrics, 'static_ip_address_quota_used'),
      await linesOf(metrics, 'static_ip_address_quota_limit'),
    ];
    expect(await samples()).toEqual([[], []]);
    metrics.watchQuota(() => ({ used: 4 }));
    expect(await samples()).toEqual([['static_ip_address_quota_used 4'], []]);
    metrics.watchQuota(() => ({ used: 4, limit: 5 }));
    expect(await samples()).toEqual([['static_ip_address_quota_used 4'], ['static_ip_address_quota_limit 5']]);
  });

  it('tell who leads, and how long the first assignment took', async () => {
    const metrics = make();
    metrics.leading(true);
    metrics.assigned('cilium-node', 400);
    // The creation time comes from another machine's clock: it may lie in our future.
    metrics.assigned('cilium-node', -50);
    expect(await linesOf(metrics, 'static_ip_leader')).toEqual(['static_ip_leader 1']);
    const latency = await linesOf(metrics, 'static_ip_assignment_latency_seconds');
    expect(latency).toContain('static_ip_assignment_latency_seconds_sum{source="cilium-node"} 0.4');
    expect(latency).toContain('static_ip_assignment_latency_seconds_count{source="cilium-node"} 2');
  });

  it('count reconciles, requests and watches', async () => {
    const metrics = make();
    metrics.reconciled({ controller: 'claims', outcome: 'settled', durationMs: 5 });
    metrics.kubeRequest({ verb: 'patch', resource: 'ciliumnodes', code: 'ok', durationMs: 10 });
    metrics.kubeRequest({ verb: 'watch', resource: 'nodes', code: 'gone' });
    metrics.watchFailed('nodes', 'watch');
    metrics.relisted('nodes');
    const { text } = await metrics.expose();
    expect(text).toContain('static_ip_reconciles_total{controller="claims",outcome="settled"} 1');
    expect(text).toContain('static_ip_kube_requests_total{verb="watch",resource="nodes",code="gone"} 1');
    expect(text).toContain('static_ip_kube_request_duration_seconds_count{verb="patch"} 1');
    expect(text).not.toContain('static_ip_kube_request_duration_seconds_count{verb="watch"}');
    expect(text).toContain('static_ip_watch_failures_total{resource="nodes",phase="watch"} 1');
    expect(text).toContain('static_ip_relists_total{resource="nodes"} 1');
  });

  it('are all registered, once each, and belong to one operator only', async () => {
    const [one, other] = [make(), make()];
    one.cloudCall({ action: 'AllocateAddress', code: 'ok', durationMs: 1 });
    expect(await linesOf(other, 'static_ip_cloud_calls_total')).toEqual([]);
    const { text } = await one.expose();
    const registered = text.split('\n').flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []);
    expect(registered.toSorted()).toEqual(
      Object.values(METRICS)
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it('show the memory and CPU time of the process', async () => {
    const metrics = make();
    const valueOf = async (name: string) => Number((await linesOf(metrics, name))[0]?.split(' ')[1]);
    expect(await valueOf('process_resident_memory_bytes')).toBeGreaterThan(10e6);
    const before = await valueOf('process_cpu_seconds_total');
    expect(before).toBeGreaterThan(0);
    expect(await valueOf('process_cpu_seconds_total')).toBeLessThan(before * 2);
  });
});
