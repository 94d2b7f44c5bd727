import { describe, expect, it } from '@jest/globals';
import { KubeError } from '@static-ip/kube';
import type { JsonObject, KubeClient } from '@static-ip/kube';
import type { Fence, StaticIpProvider } from '@static-ip/provider';
import { createHealth } from '@static-ip/shell';
import { createManualClock } from '@static-ip/testkit';
import { createMetrics } from '../telemetry/metrics.ts';
import { NO_TRACER } from '../telemetry/tracer.ts';
import { runOperator } from './compose.ts';
import type { OperatorDeps } from './compose.ts';
import { OPERATOR_OPTIONS } from './options/compile-options.ts';

const refuse = () => Promise.reject(new Error('not expected'));

/** An API server that knows one Lease. */
function leaseServer(): { readonly kube: KubeClient; readonly holder: () => unknown } {
  let spec: JsonObject | undefined;
  let version = 0;
  const stored = (name: string): unknown => ({ metadata: { name, uid: 'u', resourceVersion: String(version) }, spec });
  const write = (change: unknown): void => {
    version += 1;
    spec = { ...spec, ...Object(Object(change).spec) };
  };
  const kube: KubeClient = {
    list: refuse,
    delete: refuse,
    isServed: refuse,
    close: refuse,
    watch: () => {
      throw new Error('not expected');
    },
    get: async (resource, { name }) => {
      if (spec === undefined) throw new KubeError('notFound', 'reading leases');
      return resource.parse(stored(name));
    },
    create: async (resource, body) => {
      write(body);
      return resource.parse(stored('lease'));
    },
    patch: async (resource, { name }, { body }) => {
      write(body);
      return resource.parse(stored(name));
    },
  };
  return { kube, holder: () => spec?.['holderIdentity'] };
}

const PROVIDER: StaticIpProvider = {
  name: 'none',
  capabilities: {
    podTargets: false,
    atomicSwap: false,
    createsFromPool: false,
    allocation: false,
    quota: false,
    routes: false,
  },
  listAddresses: refuse,
  resolveTargets: refuse,
  attach: refuse,
  detach: refuse,
};

function setUp(parts: Partial<OperatorDeps> = {}) {
  const clock = createManualClock({ startMs: 1_800_000_000_000 });
  const server = leaseServer();
  const messages: string[] = [];
  const log = (message: string): void => void messages.push(message);
  const logger = { error: log, warn: log, info: log, debug: log, child: () => logger };
  const health = createHealth();
  const metrics = createMetrics({ version: '0', nodeVersion: '0', provider: 'none' });
  const fences: Fence[] = [];
  const stop = new AbortController();
  const deps: OperatorDeps = {
    options: OPERATOR_OPTIONS.compile({ list: [], flags: {}, environment: {}, mistakes: [] }),
    logger,
    health,
    metrics,
    tracer: NO_TRACER,
    kube: server.kube,
    clock,
    random: () => 0.5,
    identity: 'me',
    leaseNamespace: 'default',
    openProvider: async (fence) => {
      fences.push(fence);
      return PROVIDER;
    },
    runControllers: (_deps, signal) => clock.sleep(Number.MAX_SAFE_INTEGER, signal),
    ...parts,
  };
  const ended = runOperator(deps, stop.signal);
  // Watched at once: a test that asserts on it later must not leave a rejection unhandled in between.
  ended.catch(() => undefined);
  const leader = async () => /^static_ip_leader (\d)$/m.exec((await metrics.expose()).text)?.[1];
  return { clock, server, messages, health, fences, stop, ended, leader };
}

describe('the operator', () => {
  it('leads at once when the lease is free, and opens the fence only then', async () => {
    const { clock, health, fences, stop, ended, leader, server } = setUp();
    expect(health.ready()).toEqual({ ok: true, checks: [] });
    await clock.advance(0);
    expect(server.holder()).toBe('me');
    expect(await leader()).toBe('1');
    expect(health.ready()).toEqual({ ok: true, checks: [{ name: 'lease', ok: true, detail: 'leading' }] });
    expect(fences[0]?.enter().aborted).toBe(false);

    stop.abort(new Error('stopped by the test'));
    await clock.advance(0);
    await ended;
    expect(server.holder()).not.toBe('me');
    expect(await leader()).toBe('0');
    expect(() => fences[0]?.enter()).toThrow('does not hold the lease');
  });

  it('gives the lease up even when work does not stop, after ten seconds', async () => {
    const { clock, stop, ended, server, messages } = setUp({ runControllers: () => new Promise(() => undefined) });
    await clock.advance(0);
    stop.abort(new Error('stopped by the test'));
    await clock.advance(9_000);
    expect(server.holder()).toBe('me');
    await clock.advance(2_000);
    await ended;
    expect(server.holder()).not.toBe('me');
    expect(messages).toContain('Leaving work behind that did not stop in time');
  });

  it('fails with what the controllers throw, and gives the lease up', async () => {
    const bug = new TypeError('bug');
    const { clock, ended, server } = setUp({ runControllers: () => Promise.reject(bug) });
    await clock.advance(0);
    await expect(ended).rejects.toBe(bug);
    expect(server.holder()).not.toBe('me');
  });

  it('fails before it takes the lease when there is no provider', async () => {
    const { clock, ended, server } = setUp({ openProvider: () => Promise.reject(new Error('no region')) });
    await clock.advance(0);
    await expect(ended).rejects.toThrow('no region');
    expect(server.holder()).toBeUndefined();
  });

  it('is not ready, and says why, while the Lease cannot be read; and ends when the kubeconfig cannot work', async () => {
    let code: 'unavailable' | 'config' = 'unavailable';
    const get = () => Promise.reject(new KubeError(code, `reading leases: ${code}`));
    const { clock, ended, health } = setUp({ kube: { ...leaseServer().kube, get } });
    await clock.advance(0);
    expect(health.ready().checks).toEqual([{ name: 'lease', ok: false, detail: 'reading leases: unavailable' }]);
    code = 'config';
    await clock.advance(60_000);
    await expect(ended).rejects.toMatchObject({ name: 'KubeError', code: 'config' });
  });
});
