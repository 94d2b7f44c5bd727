import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEmulator } from '@static-ip/testkit';
import type { Emulator } from '@static-ip/testkit';
import type { Address } from '../address.ts';
import { AWS_NODE_ACTIONS } from './actions.ts';
import { createProvider } from './create-provider.ts';
import { contextFor } from './test-context.test.fixture.ts';

const live = { signal: new AbortController().signal };
const owner = { 'eip.materialize.cloud/eip_uid': 'uid-1', 'eip.materialize.cloud/cluster_uid': 'cluster-1' };

let emulator: Emulator;
let endpoint: string;

beforeEach(async () => {
  emulator = createEmulator({ settings: { buckets: { enabled: false } } });
  endpoint = await emulator.listen();
  // The SDK's own chain must find nothing of this machine.
  for (const name of Object.keys(process.env).filter((key) => key.startsWith('AWS_'))) delete process.env[name];
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
  process.env['AWS_CONFIG_FILE'] = '/nonexistent/config';
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = '/nonexistent/credentials';
});

afterEach(() => emulator.close());

async function allocated(over: { readonly location?: string } = {}) {
  const provider = await createProvider(contextFor(endpoint).context);
  const address = await provider.allocate?.({ tags: owner, ...over }, live);
  if (address === undefined) throw new Error('nothing allocated');
  return { provider, address };
}

/** In a process of its own: within the test runner, the SDK does not recognise the errors of Node's sockets. */
async function outcomeOfOneCall(at: string): Promise<string> {
  const script = fileURLToPath(new URL('call-once.test.fixture.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', script, at]);
  return stdout;
}

describe('createProvider', () => {
  it('refuses to start without a region, with what to do', async () => {
    const { context } = contextFor(endpoint);
    const { AWS_REGION: _, ...env } = context.env;
    await expect(createProvider({ ...context, env })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('set AWS_REGION'),
    });
  });

  it('refuses an endpoint that is no URL, and a rate of no action', async () => {
    await expect(createProvider(contextFor('localhost:5000').context)).rejects.toMatchObject({ code: 'invalid' });
    const rates = { AssociateAdress: { perSecond: 1, burst: 1 } };
    await expect(createProvider(contextFor(endpoint, { rates }).context)).rejects.toThrow('"AssociateAdress"');
  });

  it('prefers AWS_ENDPOINT_URL_EC2, and makes no call by itself', async () => {
    const { context } = contextFor('http://127.0.0.1:1');
    const env = { ...context.env, AWS_ENDPOINT_URL_EC2: endpoint };
    const provider = await createProvider({ ...context, env });
    expect(emulator.journal()).toEqual([]);
    await provider.listAddresses({ by: 'tags', tags: { pool: 'a' } }, live);
    expect(emulator.journal()).toHaveLength(1);
  });

  it('B57: says what is missing when there are no credentials, and asks EC2 nothing', async () => {
    const { context } = contextFor(endpoint);
    const env = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: endpoint };
    const provider = await createProvider({ ...context, env });
    await expect(provider.listAddresses({ by: 'tags', tags: { pool: 'a' } }, live)).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('AWS_ACCESS_KEY_ID'),
    });
    expect(emulator.journal()).toEqual([]);
  });

  it('B22: knows a call that nobody heard from one whose reply was lost', async () => {
    emulator.injectFault({ kind: 'reset-after-effect', action: 'AllocateAddress' });
    expect(await outcomeOfOneCall('http://127.0.0.1:1')).toBe('unavailable');
    expect(await outcomeOfOneCall(endpoint)).toBe('unknown');
    expect(emulator.snapshot().addresses).toHaveLength(1);
  });

  it('B43: repeats no call by itself, and reports each to the hook', async () => {
    const { context, calls } = contextFor(endpoint);
    const provider = await createProvider(context);
    emulator.injectFault({ kind: 'throttle', action: 'AllocateAddress' });
    await expect(provider.allocate?.({ tags: owner }, live)).rejects.toMatchObject({
      code: 'throttled',
      fields: { action: 'AllocateAddress', awsCode: 'RequestLimitExceeded' },
    });
    expect(emulator.journal()).toHaveLength(1);
    expect(calls.map(({ action, code }) => [action, code])).toEqual([['AllocateAddress', 'RequestLimitExceeded']]);
  });
});

describe('allocating and releasing at EC2', () => {
  it('refuses tags that EC2 would refuse before it is asked', async () => {
    const provider = await createProvider(contextFor(endpoint).context);
    const tags = { 'aws:mine': 'x', ['k'.repeat(128)]: 'x', long: 'v'.repeat(257) };
    await expect(provider.allocate?.({ tags }, live)).rejects.toThrow(/"aws:mine".*longer than 127.*longer than 256/);
    expect(emulator.journal()).toEqual([]);
  });

  it('releases an address of another border group', async () => {
    emulator.addZone({ name: 'us-east-1-bos-1a', type: 'local-zone', borderGroup: 'us-east-1-bos-1' });
    const { provider, address } = await allocated({ location: 'us-east-1-bos-1' });
    expect(address.location).toBe('us-east-1-bos-1');
    await provider.release?.(address, live);
    expect(emulator.snapshot().addresses).toEqual([]);
  });

  it('never takes InvalidAddress.NotFound for a release without a read that shows the address gone', async () => {
    emulator.addZone({ name: 'us-east-1-bos-1a', type: 'local-zone', borderGroup: 'us-east-1-bos-1' });
    const { provider, address } = await allocated({ location: 'us-east-1-bos-1' });
    const wrong: Address = { ...address, location: 'us-east-1' };
    await expect(provider.release?.(wrong, live)).rejects.toMatchObject({
      code: 'notFound',
      fields: { awsCode: 'InvalidAddress.NotFound' },
    });
    expect(emulator.snapshot().addresses).toHaveLength(1);
    emulator.dropAddress({ allocationId: address.id });
    await provider.release?.(wrong, live);
  });

  it('B57: a proof that is refused is no proof', async () => {
    const { provider, address } = await allocated();
    emulator.dropAddress({ allocationId: address.id });
    emulator.injectFault({ kind: 'deny', action: 'DescribeAddresses' });
    await expect(provider.release?.(address, live)).rejects.toMatchObject({ code: 'notFound' });
  });

  it('B23: detaches by an association id and by nothing else', async () => {
    const { provider, address } = await allocated();
    const attachment = { id: address.id, addressId: address.id, ip: address.ip };
    await expect(provider.detach(attachment, live)).rejects.toMatchObject({ code: 'invalid' });
    expect(emulator.journal({ action: 'DisassociateAddress' })).toEqual([]);
  });
});

describe('a pod in a delegated prefix', () => {
  it('gets an address, is seen to hold it, and a second one is refused', async () => {
    emulator.addVpc({});
    const { id } = emulator.addInstance({ zone: 'us-east-1a', interfaces: [{}, { prefixes: ['10.0.8.0/28'] }] });
    const provider = await createProvider(contextFor(endpoint).context);
    const [one, two] = [{ foreign: false }, { foreign: false }].map((over) =>
      emulator.addAddress({ tags: { pool: 'a' }, ...over }),
    );
    const ref = { kind: 'privateIp', instanceId: id, privateIp: '10.0.8.5' } as const;
    const request = async (wanted: string | undefined) => {
      const { addresses } = await provider.listAddresses({ by: 'ids', ids: [wanted ?? ''] }, live);
      const [resolution] = await provider.resolveTargets([ref], live);
      const [address] = addresses;
      if (address === undefined || resolution === undefined || 'error' in resolution) throw new Error('not there');
      return provider.attach({ candidate: { kind: 'address', address }, target: resolution.target }, live);
    };
    expect(await request(one?.allocationId)).toMatchObject({ state: 'done', ip: one?.publicIp });
    await expect(request(two?.allocationId)).rejects.toMatchObject({ code: 'inUse' });
    expect(await request(one?.allocationId)).toMatchObject({ state: 'done' });
    expect(emulator.journal({ action: 'AssociateAddress' })).toHaveLength(1);
    expect(emulator.violations()).toEqual([]);
  });
});

describe('node mode', () => {
  it('calls EC2 by exactly the actions that its IAM policy allows', async () => {
    emulator.addVpc({});
    const { id: instanceId } = emulator.addInstance({ zone: 'us-east-1a' });
    emulator.addAddress({ tags: { pool: 'a' }, foreign: false });
    const provider = await createProvider(contextFor(endpoint).context);
    const { addresses } = await provider.listAddresses({ by: 'tags', tags: { pool: 'a' } }, live);
    const [resolution] = await provider.resolveTargets([{ kind: 'instance', instanceId }], live);
    const [address] = addresses;
    if (address === undefined || resolution === undefined || 'error' in resolution) throw new Error('not there');
    const request = { candidate: { kind: 'address', address }, target: resolution.target } as const;
    const step = await provider.attach(request, live);
    if (step.state === 'done') await provider.detach(step.attachment, live);
    const called = new Set(emulator.journal().map(({ action }) => action));
    expect([...called].toSorted()).toEqual([...AWS_NODE_ACTIONS].toSorted());
  });
});
