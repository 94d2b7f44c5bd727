import { afterEach, describe, expect, it } from '@jest/globals';
import { createHealth } from './health.ts';
import { healthRoutes, metricsRoutes, startServer } from './servers.ts';
import type { Routes, RunningServer } from './servers.ts';

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function serve(routes: Routes, port = 0): Promise<string> {
  const address = { host: '127.0.0.1', port };
  const server = await startServer({ name: 'health', option: '--health-bind-address', address, routes });
  running.push(server);
  return `http://127.0.0.1:${server.port}`;
}

describe('health server', () => {
  it('is well while all checks are, with their details', async () => {
    const health = createHealth();
    health.addLive('informers', () => ({ ok: true }));
    health.addReady('lease', () => ({ ok: true, detail: 'standing by for other' }));
    const url = await serve(healthRoutes(health));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({
      ok: true,
      checks: [{ name: 'lease', ok: true, detail: 'standing by for other' }],
    });
  });

  it('answers 503 with the reason of each check that fails, also of one that throws, until it is taken back', async () => {
    const health = createHealth();
    const remove = health.addReady('sources', () => ({ ok: false, reason: 'the cluster serves no CiliumNodes' }));
    const removeBroken = health.addReady('broken', () => {
      throw new Error('bug');
    });
    const url = await serve(healthRoutes(health));
    const answer = await fetch(`${url}/readyz?verbose`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({
      ok: false,
      checks: [
        { name: 'sources', ok: false, detail: 'the cluster serves no CiliumNodes' },
        { name: 'broken', ok: false, detail: 'the check itself failed: bug' },
      ],
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    remove();
    removeBroken();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it('refuses two checks of one name', () => {
    const health = createHealth();
    health.addLive('loops', () => ({ ok: true }));
    expect(() => health.addLive('loops', () => ({ ok: true }))).toThrow('two health checks are named loops');
  });

  it('answers only what it has, and only to reading', async () => {
    const url = await serve(metricsRoutes({ expose: async () => ({ contentType: 'text/plain', text: 'a 1\n' }) }));
    expect(await (await fetch(`${url}/metrics`)).text()).toBe('a 1\n');
    expect(await (await fetch(`${url}/metrics`, { method: 'HEAD' })).text()).toBe('');
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
    const missing = await fetch(`${url}/constructor`);
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain('/metrics');
  });

  it('answers 500 when what it serves cannot be made', async () => {
    const url = await serve(metricsRoutes({ expose: () => Promise.reject(new Error('no text')) }));
    expect((await fetch(`${url}/metrics`)).status).toBe(500);
  });

  it('says which option to change when the address is taken, or is not this machine’s', async () => {
    const url = await serve({});
    await expect(serve({}, Number(new URL(url).port))).rejects.toMatchObject({
      code: 'cannotListen',
      message: expect.stringMatching(/cannot serve health on .*another process listens there.*--health-bind-address/),
    });
    const elsewhere = { host: '192.0.2.1', port: 0 };
    await expect(
      startServer({ name: 'metrics', option: '--metrics-bind-address', address: elsewhere, routes: {} }),
    ).rejects.toMatchObject({ message: expect.stringContaining('this machine has no such address') });
  });
});
