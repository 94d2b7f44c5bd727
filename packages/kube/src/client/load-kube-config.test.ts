import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { createConnector } from './connection.ts';
import { loadKubeConfig } from './load-kube-config.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'kubeconfig-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
  delete process.env['KUBERNETES_SERVICE_HOST'];
  delete process.env['KUBERNETES_SERVICE_PORT'];
});

function file(name: string, content: unknown): string {
  const full = path.join(directory, name);
  writeFileSync(full, typeof content === 'string' ? content : JSON.stringify(content));
  return full;
}

const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:6443' } };
const valid = {
  'current-context': 'x',
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  clusters: [cluster],
  users: [{ name: 'u', user: { token: 't' } }],
};

describe('kubeconfig', () => {
  it.each([
    ['text that is no YAML', '\t{', 'is not a valid kubeconfig'],
    ['an empty file', '', 'is not a valid kubeconfig'],
    ['no current context', { ...valid, 'current-context': '' }, 'it has no current-context: choose one with'],
    ['an unknown context', { ...valid, 'current-context': 'y' }, 'it has no context "y"; it has: x'],
    ['an unknown cluster', { ...valid, clusters: [] }, 'context "x" names cluster "c", which it lacks'],
    ['an unknown user', { ...valid, users: [] }, 'context "x" names user "u", which it lacks'],
    ['a server that is no URL', { ...valid, clusters: [{ name: 'c', cluster: { server: 'here' } }] }, 'is not a URL'],
    [
      'a file that is not there',
      { ...valid, clusters: [{ name: 'c', cluster: { ...cluster.cluster, 'certificate-authority': 'no.crt' } }] },
      'certificate-authority',
    ],
  ])('with %s is refused with the name of the file and what is wrong', (_what, content, problem) => {
    const kubeconfig = file('config', content);
    const refusal = (() => {
      try {
        return loadKubeConfig({ kubeconfig });
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ code: 'config', fields: { file: kubeconfig } });
    expect(String(refusal)).toContain(kubeconfig);
    expect(String(refusal)).toContain(problem);
  });

  it('that does not exist, or is a directory, is refused', () => {
    const config = expect.objectContaining({ code: 'config' });
    expect(() => loadKubeConfig({ kubeconfig: path.join(directory, 'none') })).toThrow(config);
    expect(() => loadKubeConfig({ kubeconfig: directory })).toThrow(config);
  });

  it('B57: outside a pod and without a file says so', () => {
    expect(() => loadKubeConfig({ root: directory })).toThrow('no kubeconfig is given, and this is not a pod');
  });

  it('in a pod reads the token again when the server refused it', async () => {
    const secrets = path.join(directory, 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(secrets, { recursive: true });
    process.env['KUBERNETES_SERVICE_HOST'] = 'fd00::1';
    process.env['KUBERNETES_SERVICE_PORT'] = '443';
    const load = () => loadKubeConfig({ root: directory });
    expect(load).toThrow('is automountServiceAccountToken off?');

    writeFileSync(path.join(secrets, 'token'), 'first\n');
    writeFileSync(path.join(secrets, 'ca.crt'), '');
    const clock = createManualClock({ startMs: 0 });
    const connector = createConnector({ load, clock });
    const first = await connector.connect();
    expect(first.server.origin).toBe('https://[fd00::1]');
    expect(first.headers['authorization']).toBe('Bearer first');

    writeFileSync(path.join(secrets, 'token'), 'second\n');
    connector.refused();
    await clock.advance(10_000);
    expect((await connector.connect()).headers['authorization']).toBe('Bearer second');
    connector.close();
  });
});
