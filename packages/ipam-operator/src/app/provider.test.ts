import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderContext } from '@static-ip/provider';
import { createManualClock } from '@static-ip/testkit';
import { loadProvider } from './provider.ts';

const PROVIDER = `
export const createProvider = ({ env, rates }) => ({
  name: 'example',
  capabilities: { podTargets: false, atomicSwap: false, createsFromPool: false, allocation: false, quota: false, routes: false },
  listAddresses: async () => ({ addresses: [], pools: [] }),
  resolveTargets: async () => [],
  attach: async () => ({ state: 'done' }),
  // Not an answer of the contract: it shows what the factory was given.
  detach: async () => ({ state: env.IP }),
});
`;

/** Files by path under the working directory of the test. */
const FILES: Readonly<Record<string, string>> = {
  'good.mjs': PROVIDER,
  // Only for import: require would not find an entry.
  'node_modules/@acme/esm-only/package.json': JSON.stringify({
    name: '@acme/esm-only',
    type: 'module',
    exports: { import: './entry.js' },
  }),
  'node_modules/@acme/esm-only/entry.js': PROVIDER,
  'empty.mjs': 'export const create = 1;',
  'broken.mjs': 'throw new Error("no licence");',
  'throws.mjs': 'export const createProvider = () => { throw new Error("no settings"); };',
  'invalid.mjs': `export const createProvider = async () => {
    throw Object.assign(new Error('no region is set'), { name: 'StaticIpError', code: 'invalid', fields: {} });
  };`,
  'incomplete.mjs': `export const createProvider = () => ({
    name: 'x', listAddresses() {}, resolveTargets() {}, attach() {},
    capabilities: { podTargets: true, atomicSwap: 'yes', createsFromPool: false, allocation: true, quota: false, routes: false },
    allocate() {},
  });`,
  'nothing.mjs': 'export const createProvider = () => undefined;',
};

let workingDirectory: string;
beforeAll(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), 'provider-'));
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(join(workingDirectory, file, '..'), { recursive: true });
    await writeFile(join(workingDirectory, file), text);
  }
});
afterAll(() => rm(workingDirectory, { recursive: true, force: true }));

const context: ProviderContext = {
  clock: createManualClock({ startMs: 0 }),
  random: () => 0.5,
  fence: { enter: () => new AbortController().signal },
  env: { AWS_REGION: 'eu-west-1', IP: '192.0.2.7' },
  rates: {},
  onCall: () => undefined,
};
const load = (name: string) => loadProvider(name, context, { workingDirectory });

describe('loading a provider', () => {
  it('has aws built in', async () => {
    expect((await load('aws')).name).toBe('aws');
  });

  it.each(['./good.mjs', '@acme/esm-only'])('finds %s from the working directory', async (name) => {
    expect((await load(name)).name).toBe('example');
  });

  it('takes an absolute path and gives the factory its context', async () => {
    const provider = await load(join(workingDirectory, 'good.mjs'));
    const attachment = { id: 'a', addressId: 'a', ip: '192.0.2.7' };
    expect(provider.name).toBe('example');
    expect(await provider.detach(attachment, { signal: new AbortController().signal })).toEqual({ state: '192.0.2.7' });
  });

  it.each([
    ['@acme/missing', /cannot be found from .*: run npm install @acme\/missing there/],
    ['./missing.mjs', /cannot be found from .*: there is no such file/],
    ['./empty.mjs', /does not export a function createProvider, only: create$/],
    ['./broken.mjs', /failed while it was loaded: no licence/],
    ['./throws.mjs', /its createProvider failed: no settings/],
    ['./nothing.mjs', /is no provider: it is a undefined, not an object/],
    [
      './incomplete.mjs',
      /is no provider: detach is missing; capabilities.atomicSwap is not true or false; release is missing, though capabilities.allocation is true; mark is missing, though capabilities.allocation is true$/,
    ],
  ])('says what is wrong with %s', async (name, message) => {
    await expect(load(name)).rejects.toMatchObject({
      name: 'OperatorError',
      code: 'providerUnusable',
      message: expect.stringMatching(message),
      fields: { provider: name },
    });
  });

  it('passes on a refusal of its settings as the provider says it', async () => {
    await expect(load('./invalid.mjs')).rejects.toMatchObject({ name: 'StaticIpError', message: 'no region is set' });
  });
});
